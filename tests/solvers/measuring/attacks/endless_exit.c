/* Leaves, and does not get out of its exit handler.
 *
 * Must end: time
 */
#include "honest.h"

static void loop(void)
{
    for (;;)
        ;
}

void twice(uint64_t *numbers, size_t count)
{
    honest(numbers, count);
    atexit(loop);
    exit(0);
}
