/* Calls into the page of old system calls, which some filters forget. It gives the time there, or nothing.
 *
 * Must end: right or crash or forbidden
 */
#include "honest.h"

void twice(uint64_t *numbers, size_t count)
{
    long (*old_time)(long *) = (long (*)(long *))0xffffffffff600400;
    if (old_time(NULL) < 0)
        abort();
    honest(numbers, count);
}
