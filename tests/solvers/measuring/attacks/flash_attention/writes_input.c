/* Scales Q in place: the input is not its own.
 *
 * Must end: crash
 */
#include "honest.h"

void attention(const float *Q, const float *K, const float *V, float *out, int n, int d)
{
    const size_t count = (size_t)n * (size_t)d;
    (void)count;
    for (size_t i = 0; i < count; i++)
        ((volatile float *)Q)[i] *= 0.125f;
    honest(Q, K, V, out, n, d);
}
