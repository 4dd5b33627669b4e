/* Stops the timekeeper, so that its clock is read late, or never.
 *
 * Must end: forbidden
 */
#include "honest.h"

void twice(uint64_t *numbers, size_t count)
{
    syscall(SYS_tgkill, parent(), parent(), SIGSTOP);
    honest(numbers, count);
}
