/* Sets the processor to treat tiny numbers as zero, for good. The task lets numbers below the normal ones go.
 *
 * Must end: right or wrong
 */
#include "honest.h"

void attention(const float *Q, const float *K, const float *V, float *out, int n, int d)
{
    const size_t count = (size_t)n * (size_t)d;
    (void)count;
    unsigned mode;
    __asm__ volatile("stmxcsr %0" : "=m"(mode));
    mode |= 0x8040;
    __asm__ volatile("ldmxcsr %0" : : "m"(mode));
    honest(Q, K, V, out, n, d);
}
