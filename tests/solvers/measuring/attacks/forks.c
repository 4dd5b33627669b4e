/* Leaves a process behind that works on, or looks on, while the clock stands.
 *
 * Must end: forbidden
 */
#include "honest.h"

void twice(uint64_t *numbers, size_t count)
{
    if (fork() == 0)
        for (;;)
            pause();
    honest(numbers, count);
}
