/* Lets a NaN in one row spoil its neighbours, as loops over several rows may do.
 *
 * Must end: wrong
 */
#include "honest.h"

void attention(const float *Q, const float *K, const float *V, float *out, int n, int d)
{
    const size_t count = (size_t)n * (size_t)d;
    (void)count;
    honest(Q, K, V, out, n, d);
    for (int i = 0; i + 1 < n; i += 2)
        if (isnan(out[i * d]) || isnan(out[(i + 1) * d]))
            for (int c = 0; c < 2 * d; c++)
                out[i * d + c] = NAN;
}
