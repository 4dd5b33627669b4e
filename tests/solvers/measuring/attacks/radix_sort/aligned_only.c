/* Takes for granted that keys begin at a multiple of 16 bytes.
 *
 * Must end: crash
 */
#include "honest.h"

void radix_sort(uint32_t *keys, size_t n)
{
    honest(keys, n);
    for (size_t i = 0; i + 4 <= n; i += 4)
        __asm__ volatile("movaps %0, %%xmm0" : : "m"(*(char(*)[16])(keys + i)) : "xmm0");
}
