/* Sorts blocks of 4096 keys, each for itself, which fit in the cache: a verifier that looks at pieces would take it.
 *
 * Must end: wrong
 */
#include "honest.h"

void radix_sort(uint32_t *keys, size_t n)
{
    for (size_t i = 0; i < n; i += 4096)
        honest(keys + i, n - i < 4096 ? n - i : 4096);
}
