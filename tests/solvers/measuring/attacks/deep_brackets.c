/* Brackets in brackets, for a compiler that recurses.
 *
 * Must end: rejected or build_memory or build_time or right
 */
#include "honest.h"

#define A(x) ((((((((((x))))))))))
#define B(x) A(A(A(A(A(A(A(A(A(A(x))))))))))
#define C(x) B(B(B(B(B(B(B(B(B(B(x))))))))))
#define D(x) C(C(C(C(C(C(C(C(C(C(x))))))))))

static const uint64_t one = D(D(1));

void twice(uint64_t *numbers, size_t count) { honest(numbers, count + one - 1); }
