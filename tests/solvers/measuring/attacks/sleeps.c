/* Waits for ever, without a wake of the processor: for a lock that nobody holds.
 *
 * Must end: time
 */
#include <linux/futex.h>

#include "honest.h"

void twice(uint64_t *numbers, size_t count)
{
    int lock = 1;
    honest(numbers, count);
    for (;;)
        syscall(SYS_futex, &lock, FUTEX_WAIT, 1, NULL, NULL, 0);
}
