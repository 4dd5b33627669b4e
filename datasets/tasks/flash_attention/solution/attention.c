/* Attention by tiles with an online softmax: a block of keys is used by a block of queries while both are in the cache,
 * and a running maximum and sum per query replace the full row of scores. The inner loops run over plain arrays of a
 * fixed length, for the compiler to vectorise for AVX2 (and for any x86-64 in a second copy). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attention.h"

/* Lets comparisons become selections, which can be vectorised. NaN keeps its meaning. */
#pragma GCC optimize("no-trapping-math")

enum { QUERIES = 32, KEYS = 64, LANES = 8 };

/* e^x for x <= 0, as 2^n times a polynomial; NaN stays NaN. Below e^-86.5 it stays at that. */
static inline __attribute__((always_inline)) float power(float x)
{
    x = x < -86.5f ? -86.5f : x;
    union { float f; unsigned u; } t = { .f = x * 1.44269504f + 12583039.0f }; /* n + 127 in the lowest bits */
    float r = x * 1.44269504f - (t.f - 12583039.0f);
    float p = 1.33989314e-3f;
    p = p * r + 9.61848896e-3f;
    p = p * r + 5.55032878e-2f;
    p = p * r + 2.40226469e-1f;
    p = p * r + 6.93147206e-1f;
    p = p * r + 1.0f;
    t.u <<= 23;
    return p * t.f;
}

/* to += the sum of `count` rows, each times its weight; four at a time, to load and store `to` less often. */
static inline __attribute__((always_inline)) void add_rows(float *restrict to, const float *weight, const float *row,
                                                           long stride, long count, long width)
{
    long a = 0;
    for (; a + 4 <= count; a += 4, row += 4 * stride)
        for (long b = 0; b < width; b++)
            to[b] = to[b] + weight[a] * row[b] + weight[a + 1] * row[stride + b] + weight[a + 2] * row[2 * stride + b]
                    + weight[a + 3] * row[3 * stride + b];
    for (; a < count; a++, row += stride)
        for (long b = 0; b < width; b++)
            to[b] += weight[a] * row[b];
}

static inline __attribute__((always_inline)) void body(const float *Q, const float *K, const float *V, float *out,
                                                       long n, long d, float *kt)
{
    const float scale = 1.0f / sqrtf((float)d);
    for (long j = 0; j < n; j += KEYS) /* keys as columns, block after block */
        for (long c = 0; c < d; c++)
            for (long b = 0; b < KEYS; b++)
                kt[j * d + c * KEYS + b] = j + b < n ? K[(j + b) * d + c] : 0.0f;
    for (long first = 0; first < n; first += QUERIES) {
        const long queries = n - first < QUERIES ? n - first : QUERIES;
        float top[QUERIES], sum[QUERIES];
        for (long i = 0; i < queries; i++) {
            top[i] = -INFINITY;
            sum[i] = 0.0f;
        }
        memset(out + first * d, 0, (size_t)(queries * d) * sizeof *out);
        for (long j = 0; j < n; j += KEYS) {
            const long keys = n - j < KEYS ? n - j : KEYS;
            for (long i = 0; i < queries; i++) {
                const float *q = Q + (first + i) * d;
                float *o = out + (first + i) * d;
                float s[KEYS] = {0};
                add_rows(s, q, kt + j * d, KEYS, d, KEYS);
                for (long b = 0; b < KEYS; b++)
                    s[b] *= scale;
                for (long b = keys; b < KEYS; b++)
                    s[b] = -INFINITY;
                float most = top[i], lane[LANES];
                for (long b = 0; b < LANES; b++)
                    lane[b] = -INFINITY;
                for (long a = 0; a < KEYS; a += LANES)
                    for (long b = 0; b < LANES; b++)
                        lane[b] = s[a + b] > lane[b] ? s[a + b] : lane[b];
                for (long b = 0; b < LANES; b++)
                    most = lane[b] > most ? lane[b] : most;
                const float factor = power(top[i] - most);
                for (long b = 0; b < KEYS; b++)
                    s[b] = power(s[b] - most);
                for (long b = 0; b < LANES; b++)
                    lane[b] = 0.0f;
                for (long a = 0; a < KEYS; a += LANES)
                    for (long b = 0; b < LANES; b++)
                        lane[b] += s[a + b];
                top[i] = most;
                sum[i] *= factor;
                for (long b = 0; b < LANES; b++)
                    sum[i] += lane[b];
                for (long c = 0; c < d; c++)
                    o[c] *= factor;
                add_rows(o, s, V + j * d, d, keys, d);
            }
        }
        for (long i = 0; i < queries; i++)
            for (long c = 0; c < d; c++)
                out[(first + i) * d + c] /= sum[i];
    }
}

__attribute__((target("avx2,fma"))) static void run_avx2(const float *Q, const float *K, const float *V, float *out,
                                                         long n, long d, float *kt)
{
    body(Q, K, V, out, n, d, kt);
}

static void run_plain(const float *Q, const float *K, const float *V, float *out, long n, long d, float *kt)
{
    body(Q, K, V, out, n, d, kt);
}

void attention(const float *Q, const float *K, const float *V, float *out, int n, int d)
{
    float *kt = aligned_alloc(64, (size_t)(n + KEYS - 1) / KEYS * KEYS * d * sizeof *kt);
    if (!kt)
        return;
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        run_avx2(Q, K, V, out, n, d, kt);
    else
        run_plain(Q, K, V, out, n, d, kt);
    free(kt);
}
