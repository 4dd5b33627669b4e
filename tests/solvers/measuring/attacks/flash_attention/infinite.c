/* Infinity everywhere, which is as far from the right answer as from any tolerance.
 *
 * Must end: wrong
 */
#include "honest.h"

void attention(const float *Q, const float *K, const float *V, float *out, int n, int d)
{
    const size_t count = (size_t)n * (size_t)d;
    (void)count;
    for (size_t i = 0; i < count; i++)
        out[i] = INFINITY;
}
