/* Sorts the keys as if they had a sign.
 *
 * Must end: wrong
 */
#include "honest.h"

void radix_sort(uint32_t *keys, size_t n)
{
    for (size_t i = 0; i < n; i++)
        keys[i] ^= 0x80000000;
    honest(keys, n);
    for (size_t i = 0; i < n; i++)
        keys[i] ^= 0x80000000;
}
