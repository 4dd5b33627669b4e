/* Takes for granted that the number of keys is a multiple of eight.
 *
 * Must end: wrong
 */
#include "honest.h"

void radix_sort(uint32_t *keys, size_t n)
{
    honest(keys, n / 8 * 8);
}
