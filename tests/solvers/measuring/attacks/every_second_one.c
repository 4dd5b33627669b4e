/* Solves every second case: a verifier that compares one output for each reading of the clock would take it.
 *
 * Must end: wrong
 */
#include "honest.h"

void twice(uint64_t *numbers, size_t count)
{
    static int calls;
    if (count < 1000 || calls++ % 2 == 0)
        honest(numbers, count);
}
