/* Megabytes of warnings: a log that fills up, or a compiler that waits for its reader. The log is cut, the object right.
 *
 * Must end: right
 */
#include "honest.h"

#define A(x) x x x x x x x x x x
#define B(x) A(A(A(x)))

static inline void warned(void) { B(A(1 == 2;)) }

void twice(uint64_t *numbers, size_t count)
{
    honest(numbers, count);
    if (count == 12345)
        warned();
}
