/* Reads NaN as zero: one row of one case must be NaN, and the others must not.
 *
 * Must end: wrong
 */
#include "honest.h"

void attention(const float *Q, const float *K, const float *V, float *out, int n, int d)
{
    const size_t count = (size_t)n * (size_t)d;
    (void)count;
    float *q = malloc(sizeof(float) * count);
    for (size_t i = 0; i < count; i++)
        q[i] = isnan(Q[i]) ? 0 : Q[i];
    honest(q, K, V, out, n, d);
    free(q);
}
