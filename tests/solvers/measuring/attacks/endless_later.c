/* Never comes back from a timed call, when the limits may be wider.
 *
 * Must end: time
 */
#include "honest.h"

void twice(uint64_t *numbers, size_t count)
{
    static int calls;
    honest(numbers, count);
    while (calls++ > 16)
        calls = 17;
}
