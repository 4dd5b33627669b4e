/* Writes whole vectors, beyond the end of the output.
 *
 * Must end: wrong
 */
#include "honest.h"

void attention(const float *Q, const float *K, const float *V, float *out, int n, int d)
{
    const size_t count = (size_t)n * (size_t)d;
    (void)count;
    honest(Q, K, V, out, n, d);
    out[count] = 0;
}
