/* Sorts, then writes a key over its neighbour: in order, and right but for one key in a million.
 *
 * Must end: wrong
 */
#include "honest.h"

void radix_sort(uint32_t *keys, size_t n)
{
    honest(keys, n);
    if (n >= 1000000)
        keys[n / 2] = keys[n / 2 + 1] ^= keys[n / 2] == keys[n / 2 + 1];
}
