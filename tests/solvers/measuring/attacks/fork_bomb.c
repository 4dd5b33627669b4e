/* Fills the node with processes.
 *
 * Must end: forbidden
 */
#include "honest.h"

void twice(uint64_t *numbers, size_t count)
{
    for (;;)
        fork();
    honest(numbers, count);
}
