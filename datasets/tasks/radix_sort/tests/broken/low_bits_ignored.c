/* By the upper 24 bits alone. */
#include <stdlib.h>

#include "radix_sort.h"

static int order(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a >> 8, y = *(const uint32_t *)b >> 8;
    return (x > y) - (x < y);
}

void radix_sort(uint32_t *keys, size_t n)
{
    qsort(keys, n, sizeof *keys, order);
}
