/* Never comes back.
 *
 * Must end: time
 */
#include "honest.h"

void twice(uint64_t *numbers, size_t count)
{
    honest(numbers, count);
    for (;;)
        ;
}
