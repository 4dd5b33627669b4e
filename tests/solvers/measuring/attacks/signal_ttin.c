/* Sends itself SIGTTIN: another way to stop, to go on or to end that the harness might take for the end of a section.
 *
 * Must end: forbidden
 */
#include "honest.h"

void twice(uint64_t *numbers, size_t count)
{
    syscall(SYS_tgkill, getpid(), gettid(), SIGTTIN);
    honest(numbers, count);
}
