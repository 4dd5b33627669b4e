/* Ends all that it may.
 *
 * Must end: forbidden
 */
#include "honest.h"

void twice(uint64_t *numbers, size_t count)
{
    kill(-1, SIGKILL);
    honest(numbers, count);
}
