/* Makes cases of attention and checks every number of every row against a computation in double precision.
 *
 * The input of a case is a head (n, d and where Q, K, V and out begin, in bytes), then the arrays, with NaN between
 * them. The output is filled with numbers that are no answer; those around `out` must still be there afterwards.
 *
 * A number may be off by a share of sum_j p_j |V_j|, the size of what is summed for it: SHARE, and for each unit that
 * the row's scores can reach PER_SCORE, because rounding a score of s in single precision changes its weight by a share
 * of s 2^-24. An exponential good to 3e-6 and sums in any order stay below it; half precision anywhere does not.
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "task.h"

#define SHARE 1e-5
#define PER_SCORE 4e-7
#define FLOOR 1e-36 /* numbers below the normal ones may be flushed to zero */

enum kind { PLAIN, SPREAD, HIGH, LOW, RISING, FALLING, SAME, ONE, TINY_Q, TINY_V, ZERO_Q, ZERO_V, MINUS_ZERO, NAN_ROW };

static const struct { uint32_t n, d; enum kind kind; } edges[] = {
    {1, 64, PLAIN}, {2, 64, PLAIN}, {3, 64, PLAIN}, {17, 64, PLAIN}, {63, 64, PLAIN}, {65, 64, PLAIN},
    {127, 64, PLAIN}, {257, 64, PLAIN}, {1, 1, PLAIN}, {33, 1, PLAIN}, {63, 3, PLAIN}, {31, 8, PLAIN},
    {65, 16, PLAIN}, {2, 17, PLAIN}, {17, 17, PLAIN}, {129, 17, PLAIN}, {100, 32, PLAIN}, {3, 65, PLAIN},
    {127, 65, PLAIN}, {257, 128, PLAIN}, {1031, 64, PLAIN}, {250, 37, PLAIN},
    {257, 64, SPREAD}, {130, 17, SPREAD}, {257, 64, HIGH}, {257, 64, LOW}, {65, 65, LOW}, {63, 1, HIGH},
    {1031, 64, RISING}, {300, 48, RISING}, {1031, 64, FALLING}, {65, 3, FALLING}, {257, 64, SAME}, {63, 17, SAME},
    {257, 64, ONE}, {17, 8, ONE}, {129, 64, TINY_Q}, {129, 64, TINY_V}, {65, 64, ZERO_Q}, {63, 64, ZERO_V},
    {65, 64, MINUS_ZERO}, {257, 64, NAN_ROW}, {64, 64, NAN_ROW}, {33, 17, NAN_ROW}, {6, 3, NAN_ROW},
    {0, 0, SPREAD}, {0, 0, HIGH}, {0, 0, RISING}, {0, 0, ONE}, {0, 0, NAN_ROW}, /* as large as a timed case */
};
#define EDGES ((int64_t)(sizeof edges / sizeof *edges))

struct head { uint32_t n, d, q, k, v, out, input_end, output_end; };

static struct head place(int64_t edge)
{
    struct head h = {0};
    /* An edge case's arrays begin at odd numbers of floats, each another one, after a multiple of 64 bytes. */
    uint32_t turn = edge < 0 ? 0 : 2 * (uint32_t)edge + 1, step = edge < 0 ? 0 : 2;
    h.n = edge < 0 || !edges[edge].n ? (uint32_t)parameter("n") : edges[edge].n;
    h.d = edge < 0 || !edges[edge].d ? (uint32_t)parameter("d") : edges[edge].d;
    uint32_t bytes = h.n * h.d * 4, room = (bytes + 63) / 64 * 64 + 128;
    h.q = 64 + turn % 16 * 4;
    h.k = 64 + room + (turn + step) % 16 * 4;
    h.v = 64 + 2 * room + (turn + 2 * step) % 16 * 4;
    h.out = 64 + (turn + 3 * step) % 16 * 4;
    h.input_end = 64 + 3 * room;
    h.output_end = 64 + room;
    return h;
}

struct shape verifier_shape(void)
{
    struct shape most = {0};
    for (int64_t edge = -1; edge < EDGES; edge++) {
        struct head h = place(edge);
        most.input = h.input_end > most.input ? h.input_end : most.input;
        most.output = h.output_end > most.output ? h.output_end : most.output;
    }
    return most;
}

uint64_t verifier_edges(void) { return (uint64_t)EDGES; }

uint64_t verifier_alike(void) { return 5; }

/* Numbers between -width and width, around a middle. */
static void spread(struct rng *r, float *to, size_t count, float middle, float width)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t x = rng_u64(r);
        to[i] = middle + width * (float)((int32_t)(x >> 32)) * 0x1p-31f;
    }
}

static void fill(float *to, size_t count, float value)
{
    for (size_t i = 0; i < count; i++)
        to[i] = value;
}

/* Scores with a standard deviation of 1.5 to 2.5, another one for each row; a middle of its own for each column of V. */
static void make_plain(struct rng *r, uint32_t n, uint32_t d, float *q, float *k, float *v)
{
    const float unit = 1.7320508f;
    for (uint32_t i = 0; i < n; i++)
        spread(r, q + (size_t)i * d, d, 0.0f, unit * (1.5f + (float)rng_double(r)));
    spread(r, k, (size_t)n * d, 0.0f, unit);
    float middle[256];
    for (uint32_t c = 0; c < d; c++)
        middle[c] = 2.0f * (float)rng_double(r) - 1.0f;
    spread(r, v, (size_t)n * d, 0.0f, unit);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t c = 0; c < d; c++)
            v[(size_t)i * d + c] += middle[c];
}

/* All scores near `level`, apart by little. */
static void make_level(struct rng *r, uint32_t n, uint32_t d, float *q, float *k, float level)
{
    float a = sqrtf(fabsf(level) / sqrtf((float)d));
    spread(r, q, (size_t)n * d, a, 0.05f * a);
    spread(r, k, (size_t)n * d, level < 0.0f ? -a : a, 3.0f / a);
}

/* Scores that go from -60 to 60 or back, so that the greatest one moves all the time. */
static void make_slope(struct rng *r, uint32_t n, uint32_t d, float *q, float *k, float sign)
{
    spread(r, q, (size_t)n * d, 1.0f, 0.5f);
    for (uint32_t j = 0; j < n; j++) {
        float at = sign * (120.0f * (float)j / (float)n - 60.0f) / sqrtf((float)d);
        spread(r, k + (size_t)j * d, d, at, 0.5f);
    }
}

static void make_edge(struct rng *r, enum kind kind, uint32_t n, uint32_t d, float *q, float *k, float *v)
{
    size_t count = (size_t)n * d;
    uint32_t row = (uint32_t)rng_below(r, n), column = (uint32_t)rng_below(r, d);
    make_plain(r, n, d, q, k, v);
    switch (kind) {
    case PLAIN: break;
    case SPREAD: spread(r, q, count, 0.0f, 95.0f); spread(r, k, count, 0.0f, 95.0f); break;
    case HIGH: make_level(r, n, d, q, k, 1e4f); break;
    case LOW: make_level(r, n, d, q, k, -1e4f); break;
    case RISING: make_slope(r, n, d, q, k, 1.0f); break;
    case FALLING: make_slope(r, n, d, q, k, -1.0f); break;
    case SAME:
        for (uint32_t j = 1; j < n; j++)
            memcpy(k + (size_t)j * d, k, d * sizeof *k);
        break;
    case ONE:
        spread(r, q, count, 2.0f, 1.0f);
        fill(k + (size_t)row * d, d, 20.0f);
        break;
    case TINY_Q: spread(r, q, count, 0.0f, 1e-39f); break;
    case TINY_V: spread(r, v, count, 0.0f, 1e-39f); break;
    case ZERO_Q: fill(q, count, 0.0f); break;
    case ZERO_V: fill(v, count, 0.0f); break;
    case MINUS_ZERO: fill(q, count, -0.0f); fill(v, count, -0.0f); break;
    case NAN_ROW: {
        uint32_t bits = 0x7FC00000u | ((uint32_t)rng_u64(r) & 0x803FFFFFu);
        memcpy(q + (size_t)row * d + column, &bits, sizeof bits);
        break;
    }
    }
}

/* What the output holds before the solution writes it. */
static uint32_t left_over(uint32_t word) { return 0x4E6B2800u + word * 2654435761u % 0x100000u; }

void verifier_make(struct rng *r, int64_t edge, uint8_t *input, uint8_t *output)
{
    struct head h = place(edge);
    uint32_t *in = (uint32_t *)input, *out = (uint32_t *)output;
    for (uint32_t i = 0; i < h.input_end / 4; i++)
        in[i] = 0x7FC0DEADu;
    for (uint32_t i = 0; i < h.output_end / 4; i++)
        out[i] = left_over(i);
    memcpy(input, &h, sizeof h);
    float *q = (float *)(input + h.q), *k = (float *)(input + h.k), *v = (float *)(input + h.v);
    make_edge(r, edge < 0 ? PLAIN : edges[edge].kind, h.n, h.d, q, k, v);
}

/* ---- the expected rows, for ROWS queries at a time, which lie side by side in the lanes. Vectors are AVX2's: longer ones
 * are slow where they have to be taken apart. */
typedef double vec __attribute__((vector_size(32)));
typedef long long mask __attribute__((vector_size(32)));
enum { V = 4, ROWS = 4 * V, BLOCK = 256 };

struct work {
    uint32_t n, d;
    double *k, *v; /* the same numbers, in double precision */
    vec *q;        /* [d][V], scaled by 1/sqrt(d) */
    vec *s;        /* [n][V] scores, then weights */
    vec *o, *a;    /* [d][V] sums of p v and of p |v| */
    vec top[V], sum[V];
};

#define INLINE static inline __attribute__((always_inline))

/* *x = e^*x for *x <= 0, to a few 1e-15; below e^-700 it stays at that; NaN stays NaN. */
INLINE void power(vec *x)
{
    const vec zero = {0}, magic = zero + (0x1.8p52 + 1023.0);
    mask low = *x < zero - 700.0;
    vec y = (vec)(((mask)(zero - 700.0) & low) | ((mask)*x & ~low));
    vec t = y * 0x1.71547652b82fep+0 + magic, whole = t - magic;
    vec e = (y - whole * 0x1.62e42fefa3800p-1) - whole * 0x1.ef35793c76730p-45;
    vec p = zero + 1.0 / 479001600.0;
    p = p * e + 1.0 / 39916800.0;
    p = p * e + 1.0 / 3628800.0;
    p = p * e + 1.0 / 362880.0;
    p = p * e + 1.0 / 40320.0;
    p = p * e + 1.0 / 5040.0;
    p = p * e + 1.0 / 720.0;
    p = p * e + 1.0 / 120.0;
    p = p * e + 1.0 / 24.0;
    p = p * e + 1.0 / 6.0;
    p = p * e + 0.5;
    p = p * e + 1.0;
    p = p * e + 1.0;
    *x = p * (vec)((mask)t << 52);
}

/* s = scores of `count` keys from key j on. */
INLINE void score(struct work *w, uint32_t j, int count)
{
    vec sum[2][V] = {0};
    const double *k = w->k + (size_t)j * w->d;
    for (uint32_t c = 0; c < w->d; c++)
        for (int a = 0; a < count; a++)
            for (int b = 0; b < V; b++)
                sum[a][b] += k[(size_t)a * w->d + c] * w->q[c * V + b];
    for (int a = 0; a < count; a++)
        for (int b = 0; b < V; b++) {
            mask more = sum[a][b] > w->top[b];
            w->top[b] = (vec)(((mask)sum[a][b] & more) | ((mask)w->top[b] & ~more));
            w->s[(size_t)(j + (uint32_t)a) * V + (size_t)b] = sum[a][b];
        }
}

/* Add the keys from `from` to `to` to column c. */
INLINE void gather(struct work *w, uint32_t from, uint32_t to, uint32_t c)
{
    vec o[V], a[V];
    for (int b = 0; b < V; b++) {
        o[b] = w->o[c * V + (uint32_t)b];
        a[b] = w->a[c * V + (uint32_t)b];
    }
    for (uint32_t j = from; j < to; j++) {
        double v = w->v[(size_t)j * w->d + c], size = fabs(v);
        for (int b = 0; b < V; b++) {
            o[b] += v * w->s[(size_t)j * V + (size_t)b];
            a[b] += size * w->s[(size_t)j * V + (size_t)b];
        }
    }
    for (int b = 0; b < V; b++) {
        w->o[c * V + (uint32_t)b] = o[b];
        w->a[c * V + (uint32_t)b] = a[b];
    }
}

INLINE void expect(struct work *w)
{
    const vec zero = {0};
    uint32_t j = 0;
    for (int b = 0; b < V; b++) {
        w->top[b] = zero - INFINITY;
        w->sum[b] = zero;
    }
    memset(w->o, 0, w->d * V * sizeof *w->o);
    memset(w->a, 0, w->d * V * sizeof *w->a);
    for (; j + 2 <= w->n; j += 2)
        score(w, j, 2);
    for (; j < w->n; j++)
        score(w, j, 1);
    for (uint32_t from = 0; from < w->n; from += BLOCK) {
        uint32_t to = w->n - from < BLOCK ? w->n : from + BLOCK;
        for (j = from; j < to; j++)
            for (int b = 0; b < V; b++) {
                vec x = w->s[(size_t)j * V + (size_t)b] - w->top[b];
                power(&x);
                w->s[(size_t)j * V + (size_t)b] = x;
                w->sum[b] += x;
            }
        for (uint32_t c = 0; c < w->d; c++)
            gather(w, from, to, c);
    }
}

__attribute__((target("avx2,fma"))) static void expect_avx2(struct work *w) { expect(w); }
static void expect_any(struct work *w) { expect(w); }

static void *room(size_t bytes)
{
    void *p = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!p)
        abort();
    return p;
}

static struct work work_open(uint32_t n, uint32_t d, const float *k, const float *v)
{
    size_t count = (size_t)n * d;
    struct work w = { .n = n, .d = d, .k = room(count * 8), .v = room(count * 8), .q = room(d * V * sizeof(vec)),
                      .s = room((size_t)n * V * sizeof(vec)), .o = room(d * V * sizeof(vec)),
                      .a = room(d * V * sizeof(vec)) };
    for (size_t i = 0; i < count; i++) {
        w.k[i] = k[i];
        w.v[i] = v[i];
    }
    return w;
}

static void work_close(struct work *w)
{
    free(w->k);
    free(w->v);
    free(w->q);
    free(w->s);
    free(w->o);
    free(w->a);
}

static double length(const float *row, uint32_t d)
{
    double square = 0.0;
    for (uint32_t c = 0; c < d; c++)
        square += (double)row[c] * row[c];
    return sqrt(square);
}

static char said[128];

/* One row of `out`, which is query `lane` of the work's. `reach` is the most that a score of it can be. */
static const char *check_row(const struct work *w, uint32_t row, uint32_t lane, const float *out, double reach)
{
    double sum = ((const double *)w->sum)[lane], share = SHARE + PER_SCORE * reach;
    for (uint32_t c = 0; c < w->d; c++) {
        double o = ((const double *)w->o)[c * ROWS + lane] / sum, a = ((const double *)w->a)[c * ROWS + lane] / sum;
        if (isnan(o) ? isnan(out[c]) : fabs(out[c] - o) <= share * a + FLOOR)
            continue;
        snprintf(said, sizeof said, "n = %u, d = %u: row %u, column %u %s", w->n, w->d, row, c,
                 isnan(o) ? "must be NaN, as its query is" : isnan(out[c]) ? "is NaN" : "is further off than the tolerance");
        return said;
    }
    return NULL;
}

static const char *check_rows(struct work *w, const float *q, const float *out, double longest)
{
    const double root = 1.0 / sqrt((double)w->d);
    __builtin_cpu_init();
    for (uint32_t first = 0; first < w->n; first += ROWS) {
        uint32_t rows = w->n - first < ROWS ? w->n - first : ROWS;
        for (uint32_t c = 0; c < w->d; c++)
            for (uint32_t i = 0; i < ROWS; i++)
                ((double *)w->q)[c * ROWS + i] = i < rows ? (double)q[(size_t)(first + i) * w->d + c] * root : 0.0;
        if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
            expect_avx2(w);
        else
            expect_any(w);
        for (uint32_t i = 0; i < rows; i++) {
            size_t at = (size_t)(first + i) * w->d;
            const char *wrong = check_row(w, first + i, i, out + at, length(q + at, w->d) * longest * root);
            if (wrong)
                return wrong;
        }
    }
    return NULL;
}

const char *verifier_check(struct rng *r, int64_t edge, const uint8_t *input, const uint8_t *output)
{
    (void)r; /* the child can only read the input */
    struct head h = place(edge);
    const uint32_t *words = (const uint32_t *)output;
    const float *q = (const float *)(input + h.q), *k = (const float *)(input + h.k), *v = (const float *)(input + h.v);
    for (uint32_t i = 0; i < h.output_end / 4; i++)
        if ((i < h.out / 4 || i >= h.out / 4 + h.n * h.d) && words[i] != left_over(i))
            return "memory before or after `out` was written";
    double longest = 0.0;
    for (uint32_t j = 0; j < h.n; j++)
        longest = fmax(longest, length(k + (size_t)j * h.d, h.d));
    struct work w = work_open(h.n, h.d, k, v);
    const char *wrong = check_rows(&w, q, (const float *)(output + h.out), longest);
    work_close(&w);
    return wrong;
}
