/* Does not subtract the greatest score before the exponential: faster, and infinite for large ones.
 *
 * Must end: wrong
 */
#include "honest.h"

void attention(const float *Q, const float *K, const float *V, float *out, int n, int d)
{
    const size_t count = (size_t)n * (size_t)d;
    (void)count;
    for (int i = 0; i < n; i++) {
        float sum = 0;
        memset(out + (size_t)i * (size_t)d, 0, sizeof(float) * (size_t)d);
        for (int j = 0; j < n; j++) {
            float score = 0;
            for (int c = 0; c < d; c++)
                score += Q[i * d + c] * K[j * d + c];
            const float weight = expf(score / sqrtf((float)d));
            sum += weight;
            for (int c = 0; c < d; c++)
                out[i * d + c] += weight * V[j * d + c];
        }
        for (int c = 0; c < d; c++)
            out[i * d + c] /= sum;
    }
}
