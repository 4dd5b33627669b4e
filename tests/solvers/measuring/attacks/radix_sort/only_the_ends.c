/* Puts the least key first and the greatest last.
 *
 * Must end: wrong
 */
#include "honest.h"

void radix_sort(uint32_t *keys, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        uint32_t key = keys[i];
        size_t to = key < keys[0] ? 0 : key > keys[n - 1] ? n - 1 : i;
        keys[i] = keys[to];
        keys[to] = key;
    }
}
