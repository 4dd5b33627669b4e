/* Right for the edge cases and a while longer, then idle: outputs of timed calls have to be compared, too.
 *
 * Must end: wrong
 */
#include "honest.h"

void twice(uint64_t *numbers, size_t count)
{
    static int calls;
    if (calls++ < 20)
        honest(numbers, count);
}
