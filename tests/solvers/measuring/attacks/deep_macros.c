/* Macros that become ten thousand million numbers.
 *
 * Must end: build_time or build_memory or rejected
 */
#include "honest.h"

#define A(x) x, x, x, x, x, x, x, x, x, x
#define B(x) A(A(A(x)))
#define C(x) B(B(B(x)))

static const uint64_t many[] = {C(A(1))};

void twice(uint64_t *numbers, size_t count) { honest(numbers, count + many[0] - 1); }
