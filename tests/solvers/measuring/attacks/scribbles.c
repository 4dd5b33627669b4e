/* Writes over the outputs of other cases: nothing gained, but the next section has to be unharmed, too.
 *
 * Must end: wrong
 */
#include "honest.h"

void twice(uint64_t *numbers, size_t count)
{
    struct place p = place(numbers, NULL);
    honest(numbers, count);
    if (count > 1000)
        memset((void *)p.from, 0xff, p.to - p.from);
}
