/* The reference: least significant digit first, four digits of eight bits, all of them counted in one read. */
#include "radix_sort.h"

#include <stdlib.h>

void radix_sort(uint32_t *keys, size_t n)
{
    if (n < 2)
        return;
    uint32_t *scratch = malloc(n * sizeof *scratch);
    if (!scratch)
        abort();

    uint32_t at[4][256] = {{0}};
    for (size_t i = 0; i < n; i++)
        for (int pass = 0; pass < 4; pass++)
            at[pass][keys[i] >> 8 * pass & 255]++;
    for (int pass = 0; pass < 4; pass++)
        for (uint32_t sum = 0, digit = 0; digit < 256; digit++) {
            uint32_t count = at[pass][digit];
            at[pass][digit] = sum;
            sum += count;
        }

    uint32_t *from = keys, *to = scratch;
    for (int pass = 0; pass < 4; pass++) {
        for (size_t i = 0; i < n; i++)
            to[at[pass][from[i] >> 8 * pass & 255]++] = from[i];
        uint32_t *other = from;
        from = to;
        to = other;
    }
    free(scratch);
}
