/* Right, but for one row of a timed case, whose answer is the next one's.
 *
 * Must end: wrong
 */
#include "honest.h"

void attention(const float *Q, const float *K, const float *V, float *out, int n, int d)
{
    const size_t count = (size_t)n * (size_t)d;
    (void)count;
    honest(Q, K, V, out, n, d);
    if (n == 512)
        memcpy(out + 300 * d, out + 301 * d, sizeof(float) * (size_t)d);
}
