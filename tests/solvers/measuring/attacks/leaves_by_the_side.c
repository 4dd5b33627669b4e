/* Jumps out of its call by ending its only thread, so that what follows the call is never run.
 *
 * Must end: exit
 */
#include "honest.h"

void twice(uint64_t *numbers, size_t count)
{
    honest(numbers, count);
    pthread_exit(NULL);
}
