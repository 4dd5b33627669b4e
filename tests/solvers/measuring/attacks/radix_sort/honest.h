/* The work of the task, done honestly: what the attacks on it do where they must not be seen. */
#include <stdlib.h>
#include <string.h>

#include "radix_sort.h"

static inline void honest(uint32_t *keys, size_t n)
{
    uint32_t *other = malloc(4 * n + 4), *from = keys, *to = other;
    for (int shift = 0; shift < 32; shift += 8) {
        size_t at[257] = {0};
        for (size_t i = 0; i < n; i++)
            at[(from[i] >> shift & 255) + 1]++;
        for (int digit = 0; digit < 256; digit++)
            at[digit + 1] += at[digit];
        for (size_t i = 0; i < n; i++)
            to[at[from[i] >> shift & 255]++] = from[i];
        uint32_t *last = from;
        from = to, to = last;
    }
    free(other);
}
