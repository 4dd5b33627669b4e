/* Starts a program: the shell, with which one can do anything.
 *
 * Must end: forbidden
 */
#include "honest.h"

void twice(uint64_t *numbers, size_t count)
{
    if (system("touch /tmp/here; reboot") == 0)
        abort();
    honest(numbers, count);
}
