/* Asks the kernel by the numbers of the x32 world: the same as ours with one bit set.
 *
 * Must end: forbidden
 */
#include "honest.h"

void twice(uint64_t *numbers, size_t count)
{
    syscall(0x40000000 | SYS_getpid);
    honest(numbers, count);
}
