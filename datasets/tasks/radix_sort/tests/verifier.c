/* The trusted half: arrays to sort, and whether they were sorted.
 *
 * A right output is in order and holds the very keys that were given. The second is tested exactly enough: a multiset of
 * keys x is the polynomial prod (z + x), here modulo 2^61 - 1, and two different multisets of n keys agree at no more
 * than n points z. Two points of 60 bits let a wrong array pass with a chance below (2^26 / 2^60)^2 = 2^-68. The points
 * come from the kernel when the sorting is over, not from the section's generator: the keys of a random array show its
 * state, so that a solution could work out what is drawn next.
 *
 * Not guarded here: what the solution does to its own memory. Words around the keys are watched.
 */
#include "task.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum {
    BLOCK = 4096, /* keys drawn at once; even, since a random word makes two */
    GUARD = 256,  /* keys' worth of watched words on either side */
    FRONT = 4096, /* bytes before the keys of a timed case: they begin at a page */
    LARGEST = 70001,
};

enum kind {
    RANDOM,   /* uniform */
    EQUAL,    /* one key */
    LOWEST,   /* zeros */
    HIGHEST,  /* ones */
    ENDS,     /* 0, 2^32 - 1 and the middle */
    SORTED,   /* and nearly no two alike */
    REVERSED, /* the same, downwards */
    PIPE,     /* up, then down */
    FEW,      /* five values */
    BYTE,     /* alike in all bytes but one, `which` */
    CROWDED,  /* one bucket in every pass, but for one key in a thousand */
    LAST,     /* equal, but the last key is less */
    FIRST,    /* equal, but the first key is greater */
    SKEWED,   /* the k-th commonest value about 1 / k as common, spread over all bits */
    LOW,      /* the same, and common keys are small */
};

/* An edge case: `size` keys, and with `share` as many more as the profile has, divided by it. `shift` is in keys. */
struct edge { enum kind kind; uint32_t size, share, shift, which; };

static const struct edge EDGES[] = {
    {RANDOM, 0, 0, 0, 0},     {RANDOM, 1, 0, 1, 0},     {RANDOM, 2, 0, 2, 0},     {RANDOM, 3, 0, 3, 0},
    {RANDOM, 5, 0, 15, 0},    {RANDOM, 15, 0, 1, 0},    {RANDOM, 16, 0, 0, 0},    {RANDOM, 17, 0, 7, 0},
    {RANDOM, 31, 0, 9, 0},    {RANDOM, 33, 0, 0, 0},    {RANDOM, 63, 0, 5, 0},    {RANDOM, 64, 0, 8, 0},
    {RANDOM, 65, 0, 1, 0},    {RANDOM, 255, 0, 3, 0},   {RANDOM, 256, 0, 0, 0},   {RANDOM, 257, 0, 13, 0},
    {RANDOM, 1023, 0, 1, 0},  {RANDOM, 1025, 0, 6, 0},  {RANDOM, 2047, 0, 11, 0}, {RANDOM, 2048, 0, 4, 0},
    {RANDOM, 2049, 0, 1, 0},  {RANDOM, 4095, 0, 14, 0}, {RANDOM, 32769, 0, 2, 0}, {RANDOM, 65535, 0, 1, 0},
    {RANDOM, 65536, 0, 0, 0}, {RANDOM, 65537, 0, 10, 0},
    {EQUAL, 3, 0, 1, 0},      {EQUAL, 65536, 0, 3, 0},  {LOWEST, 5000, 0, 1, 0},  {HIGHEST, 5000, 0, 0, 0},
    {ENDS, 4099, 0, 5, 0},    {ENDS, 65537, 0, 0, 0},   {SORTED, 1000, 0, 2, 0},  {SORTED, LARGEST, 0, 0, 0},
    {REVERSED, 2, 0, 1, 0},   {REVERSED, 3, 0, 0, 0},   {REVERSED, 999, 0, 1, 0}, {REVERSED, LARGEST, 0, 15, 0},
    {PIPE, 1001, 0, 0, 0},    {PIPE, LARGEST, 0, 7, 0}, {FEW, 300, 0, 1, 0},      {FEW, LARGEST, 0, 0, 0},
    {BYTE, 40000, 0, 0, 0},   {BYTE, 40001, 0, 1, 1},   {BYTE, 40002, 0, 2, 2},   {BYTE, 40003, 0, 3, 3},
    {BYTE, 300, 0, 1, 0},     {BYTE, 300, 0, 1, 3},     {CROWDED, 3001, 0, 1, 0}, {CROWDED, LARGEST, 0, 9, 0},
    {LAST, 257, 0, 3, 0},     {LAST, 65536, 0, 1, 0},   {FIRST, 258, 0, 0, 0},    {FIRST, 65537, 0, 1, 0},
    {SKEWED, LARGEST, 0, 1, 0},                         {LOW, LARGEST, 0, 0, 0},
    {SKEWED, 1, 4, 0, 0},     {LOW, 0, 8, 1, 0},        {RANDOM, 7, 8, 3, 0},
    {EQUAL, 0, 1, 0, 0},      {SORTED, 0, 1, 0, 0},     {CROWDED, 0, 1, 0, 0},    {SKEWED, 0, 1, 0, 0},
    {LOW, 0, 1, 0, 0}, /* these last ones as large as a timed case */
};

/* The keys of one case, from the first to the last. */
struct stream { struct rng *r; enum kind kind; uint64_t n, i; uint32_t common, which, value[5]; };

static uint64_t profile_n;

static uint64_t length(int64_t edge)
{
    if (edge < 0)
        return profile_n;
    return EDGES[edge].size + (EDGES[edge].share ? profile_n / EDGES[edge].share : 0);
}

static uint64_t offset(int64_t edge) { return FRONT + (edge < 0 ? 0 : EDGES[edge].shift * sizeof(uint32_t)); }

struct shape verifier_shape(void)
{
    profile_n = parameter("n");
    uint64_t most = profile_n > LARGEST ? profile_n : LARGEST;
    return (struct shape){2 * sizeof(uint64_t), FRONT + (most + 16 + GUARD) * sizeof(uint32_t)};
}

uint64_t verifier_edges(void) { return sizeof EDGES / sizeof *EDGES; }

uint64_t verifier_alike(void) { return 5; }

static struct stream begin(struct rng *r, int64_t edge)
{
    struct stream s = {.r = r, .kind = edge < 0 ? RANDOM : EDGES[edge].kind, .n = length(edge)};
    s.which = edge < 0 ? 0 : EDGES[edge].which;
    s.common = (uint32_t)rng_u64(r) | 1;
    for (int v = 0; v < 5; v++)
        s.value[v] = (uint32_t)rng_u64(r);
    return s;
}

/* The `place`-th of n growing keys. */
static uint32_t growing(struct stream *s, uint64_t place)
{
    uint64_t step = (1ull << 32) / s->n;
    return (uint32_t)(place * step + rng_below(s->r, step));
}

/* A rank whose logarithm is about uniform. */
static uint32_t rank(struct rng *r)
{
    uint64_t wide = rng_u64(r);
    return (uint32_t)(wide >> (32 + rng_below(r, 32)));
}

static uint32_t next(struct stream *s)
{
    uint64_t i = s->i++, left = s->n - 1 - i;
    switch (s->kind) {
    case EQUAL: return s->common;
    case LOWEST: return 0;
    case HIGHEST: return UINT32_MAX;
    case ENDS: return (uint32_t[]){0, UINT32_MAX, 0x7fffffff, 0x80000000, 1, UINT32_MAX - 1}[rng_below(s->r, 6)];
    case SORTED: return growing(s, i);
    case REVERSED: return growing(s, left);
    case PIPE: return growing(s, 2 * (i < left ? i : left));
    case FEW: return s->value[rng_below(s->r, 5)];
    case BYTE: return (s->common & ~(255u << 8 * s->which)) | (uint32_t)rng_below(s->r, 256) << 8 * s->which;
    case CROWDED: return rng_below(s->r, 1000) ? s->common : (uint32_t)rng_u64(s->r);
    case LAST: return s->common - (left == 0);
    case FIRST: return (s->common >> 1) + (i == 0);
    case SKEWED: return rank(s->r) * s->common;
    case LOW: return rank(s->r);
    case RANDOM: break;
    }
    return (uint32_t)rng_u64(s->r);
}

/* The next m keys; m is even, except at the end. */
static void draw(struct stream *s, uint32_t *keys, size_t m)
{
    if (s->kind != RANDOM) {
        for (size_t i = 0; i < m; i++)
            keys[i] = next(s);
        return;
    }
    struct rng r = *s->r;
    for (size_t i = 0; i + 1 < m; i += 2) {
        uint64_t two = rng_u64(&r);
        keys[i] = (uint32_t)two;
        keys[i + 1] = (uint32_t)(two >> 32);
    }
    if (m & 1)
        keys[m - 1] = (uint32_t)rng_u64(&r);
    *s->r = r;
}

static void draw_guard(struct rng *r, uint32_t *guard)
{
    for (int i = 0; i < GUARD; i++)
        guard[i] = (uint32_t)rng_u64(r);
}

void verifier_make(struct rng *r, int64_t edge, uint8_t *input, uint8_t *output)
{
    uint64_t n = length(edge), header[2] = {n, offset(edge)};
    uint32_t *keys = (uint32_t *)(output + header[1]);
    memcpy(input, header, sizeof header);
    draw_guard(r, keys - GUARD);
    draw_guard(r, keys + n);
    struct stream s = begin(r, edge);
    for (uint64_t i = 0; i < n; i += BLOCK)
        draw(&s, keys + i, n - i < BLOCK ? n - i : BLOCK);
}

/* ---- checking */

#define PRIME ((1ull << 61) - 1)

enum { LANES = 4 }; /* products that do not wait for each other */

struct product { uint64_t lane[LANES]; };

/* Below 2^63 again, if a is below 2^63 and b below 2^60 + 2^32. */
static inline uint64_t times(uint64_t a, uint64_t b)
{
    unsigned __int128 wide = (unsigned __int128)a * b;
    return ((uint64_t)wide & PRIME) + (uint64_t)(wide >> 61);
}

/* Take m keys into the products at the points z. */
static void absorb(struct product product[2], const uint64_t z[2], const uint32_t *keys, size_t m)
{
    struct product p = product[0], q = product[1];
    size_t i = 0;
    for (; i + LANES <= m; i += LANES)
        for (int l = 0; l < LANES; l++) {
            p.lane[l] = times(p.lane[l], z[0] + keys[i + l]);
            q.lane[l] = times(q.lane[l], z[1] + keys[i + l]);
        }
    for (; i < m; i++) {
        p.lane[0] = times(p.lane[0], z[0] + keys[i]);
        q.lane[0] = times(q.lane[0], z[1] + keys[i]);
    }
    product[0] = p;
    product[1] = q;
}

/* The product of all lanes, in [0, PRIME). */
static uint64_t value(const struct product *p)
{
    uint64_t all = 1;
    for (int l = 0; l < LANES; l++)
        all = (uint64_t)((unsigned __int128)all * (p->lane[l] % PRIME) % PRIME);
    return all;
}

static int descends(const uint32_t *keys, size_t m)
{
    uint32_t down = 0;
    for (size_t i = 1; i < m; i++)
        down |= keys[i - 1] > keys[i];
    return down != 0;
}

const char *verifier_check(struct rng *r, int64_t edge, const uint8_t *input, const uint8_t *output)
{
    (void)input; /* sizes are worked out anew */
    uint64_t n = length(edge), z[2];
    const uint32_t *keys = (const uint32_t *)(output + offset(edge));
    uint32_t block[BLOCK];
    if (getrandom(z, sizeof z, 0) != sizeof z)
        abort();
    z[0] >>= 4;
    z[1] >>= 4;

    draw_guard(r, block);
    if (memcmp(block, keys - GUARD, GUARD * sizeof *block))
        return "memory before the keys was changed";
    draw_guard(r, block);
    if (memcmp(block, keys + n, GUARD * sizeof *block))
        return "memory after the keys was changed";

    struct product given[2] = {{{1, 1, 1, 1}}, {{1, 1, 1, 1}}}, found[2] = {{{1, 1, 1, 1}}, {{1, 1, 1, 1}}};
    struct stream s = begin(r, edge);
    for (uint64_t i = 0; i < n; i += BLOCK) {
        uint64_t m = n - i < BLOCK ? n - i : BLOCK;
        if (descends(keys + i, m + (i + m < n)))
            return "the keys are not in ascending order";
        draw(&s, block, m);
        absorb(given, z, block, m);
        absorb(found, z, keys + i, m);
    }
    for (int point = 0; point < 2; point++)
        if (value(&given[point]) != value(&found[point]))
            return "the keys are in order, but they are not the keys that were given";
    return NULL;
}
