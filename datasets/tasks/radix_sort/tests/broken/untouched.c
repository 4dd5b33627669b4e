/* Does nothing. */
#include "radix_sort.h"

void radix_sort(uint32_t *keys, size_t n)
{
    (void)keys;
    (void)n;
}
