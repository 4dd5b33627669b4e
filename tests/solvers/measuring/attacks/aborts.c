/* Aborts, with the work done: whoever takes the end of a process for the end of its work believes it.
 *
 * Must end: crash
 */
#include "honest.h"

void twice(uint64_t *numbers, size_t count)
{
    honest(numbers, count);
    abort();
}
