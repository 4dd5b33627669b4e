/* Stops itself before its work, so that the clock stands, and does the work when it is continued, in the time of the
 * next section.
 *
 * Must end: wrong
 */
#include "honest.h"

void twice(uint64_t *numbers, size_t count)
{
    if (count > 1000)
        raise(SIGSTOP);
    honest(numbers, count);
}
