/* Takes for granted that n is a multiple of eight.
 *
 * Must end: wrong
 */
#include "honest.h"

void attention(const float *Q, const float *K, const float *V, float *out, int n, int d)
{
    const size_t count = (size_t)n * (size_t)d;
    (void)count;
    for (int i = 0; i < n / 8 * 8; i++)
        row(Q + (size_t)i * (size_t)d, K, V, out + (size_t)i * (size_t)d, 0, n / 8 * 8, d);
}
