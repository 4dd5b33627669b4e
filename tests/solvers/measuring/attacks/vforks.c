/* As fork, by the call that borrows our memory.
 *
 * Must end: forbidden
 */
#include "honest.h"

void twice(uint64_t *numbers, size_t count)
{
    if (syscall(SYS_vfork) == 0)
        _exit(0);
    honest(numbers, count);
}
