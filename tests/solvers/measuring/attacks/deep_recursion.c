/* Runs its stack over everything.
 *
 * Must end: crash
 */
#include "honest.h"

static int deeper(volatile char *above)
{
    volatile char here[4096];
    here[0] = above[0];
    return deeper(here) + here[1];
}

void twice(uint64_t *numbers, size_t count)
{
    honest(numbers, count);
    numbers[0] += (uint64_t)deeper((volatile char *)numbers);
}
