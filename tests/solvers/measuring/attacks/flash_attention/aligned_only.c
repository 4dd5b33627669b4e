/* Takes for granted that rows begin at multiples of 16 bytes.
 *
 * Must end: crash
 */
#include "honest.h"

void attention(const float *Q, const float *K, const float *V, float *out, int n, int d)
{
    const size_t count = (size_t)n * (size_t)d;
    (void)count;
    honest(Q, K, V, out, n, d);
    __asm__ volatile("movaps %0, %%xmm0" : : "m"(*(const char(*)[16])Q) : "xmm0");
}
