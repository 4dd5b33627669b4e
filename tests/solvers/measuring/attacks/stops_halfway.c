/* Stops itself when half of the work is done. The clock stands then, but so does the work.
 *
 * Must end: wrong
 */
#include "honest.h"

void twice(uint64_t *numbers, size_t count)
{
    honest(numbers, count / 2);
    stop();
    honest(numbers + count / 2, count - count / 2);
}
