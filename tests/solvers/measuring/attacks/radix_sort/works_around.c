/* Uses the memory behind the keys as its buffer: what lies there is not its own.
 *
 * Must end: wrong
 */
#include "honest.h"

void radix_sort(uint32_t *keys, size_t n)
{
    honest(keys, n);
    keys[n] = keys[n - 1];
}
