/* What a task brings to the harness: two small C files, compiled apart, that share nothing but this header.
 *
 *   tests/verifier.c   linked into the timekeeper, the trusted parent. It makes the cases and checks them.
 *   tests/shim.c       linked into the caged child. It knows how to call the solution, and no secret.
 *
 * A case is one problem to solve: a region of input that the child can only read, and a region of output that the
 * parent fills first (so that a task may work in place) and the child writes. A section is some cases, solved one after
 * the other between two readings of the parent's clock. The child is stopped while a verifier function runs.
 */
#ifndef HEURESIS_TASK_H
#define HEURESIS_TASK_H

#include <stddef.h>
#include <stdint.h>

/* ---- numbers that a case is made from: xoshiro256**, seeded anew for every section by the driver, from its own
 * cryptographic generator. A child that works the state out from one section knows nothing about the next. */
struct rng { uint64_t s[4]; };

static inline uint64_t rng_u64(struct rng *r)
{
    uint64_t *s = r->s, x = s[1] * 5, t = s[1] << 17;
    x = ((x << 7) | (x >> 57)) * 9;
    s[2] ^= s[0]; s[3] ^= s[1]; s[1] ^= s[2]; s[0] ^= s[3]; s[2] ^= t;
    s[3] = (s[3] << 45) | (s[3] >> 19);
    return x;
}

/* Uniform in [0, n), n > 0; the bias is below n / 2^64. */
static inline uint64_t rng_below(struct rng *r, uint64_t n) { return (uint64_t)(((unsigned __int128)rng_u64(r) * n) >> 64); }

/* Uniform in [0, 1). */
static inline double rng_double(struct rng *r) { return (double)(rng_u64(r) >> 11) * 0x1p-53; }

/* ---- tests/verifier.c */

/* A number of the profile that is being measured, as task.toml gives it ([measure.profile.NAME]); ends the harness if
 * the profile does not have it, so ask for all of them in verifier_shape. */
uint64_t parameter(const char *name);

/* The most bytes that one case takes in either region. */
struct shape { uint64_t input, output; };

/* Called once, first: sizes for this profile. */
struct shape verifier_shape(void);

/* How many edge cases there are: odd sizes, misaligned pointers, adversarial values. They are solved and checked in
 * one section before any timed one, and not timed. */
uint64_t verifier_edges(void);

/* How many of the edge cases, the last ones, are as large as timed cases. Sections of them stand at places nobody knows
 * among the timed ones, and are checked but not timed: a solution cannot be careful at first and careless later. 0 is none. */
uint64_t verifier_alike(void);

/* Make a case. `edge` is the number of an edge case, or -1 for a case that is timed. Both regions begin at a page.
 * Everything that the shim has to know (sizes, offsets) must be put into `input`. What a case does not write is left
 * over from an earlier one: never assume zeros. */
void verifier_make(struct rng *r, int64_t edge, uint8_t *input, uint8_t *output);

/* NULL if the output is right, else what is wrong with it, in one line that gives no expected value away.
 * `r` stands where it stood when this case was made: make the input again from it where the child could change it.
 * Called after the clock has been stopped, for every case of every section. */
const char *verifier_check(struct rng *r, int64_t edge, const uint8_t *input, const uint8_t *output);

/* ---- tests/shim.c */

/* Find the solution's functions with dlsym. NULL, or what is missing. */
const char *shim_load(void *object);

/* Solve one case. */
void shim_call(const uint8_t *input, uint8_t *output);

#endif
