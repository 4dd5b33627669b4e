/* Attention as the formula reads: for one query after another, a full row of scores, its softmax, a weighted sum. */
#include <math.h>
#include <stdlib.h>

#include "attention.h"

void attention(const float *Q, const float *K, const float *V, float *out, int n, int d)
{
    float *score = malloc((size_t)n * sizeof *score);
    float scale = 1.0f / sqrtf((float)d);
    if (!score)
        return;
    for (int i = 0; i < n; i++) {
        const float *q = Q + (size_t)i * d;
        float *o = out + (size_t)i * d;
        float top = -INFINITY, sum = 0.0f;
        for (int j = 0; j < n; j++) {
            const float *k = K + (size_t)j * d;
            float dot = 0.0f;
            for (int c = 0; c < d; c++)
                dot += q[c] * k[c];
            score[j] = dot * scale;
            if (score[j] > top)
                top = score[j];
        }
        for (int c = 0; c < d; c++)
            o[c] = 0.0f;
        for (int j = 0; j < n; j++) {
            const float *v = V + (size_t)j * d;
            float p = expf(score[j] - top);
            sum += p;
            for (int c = 0; c < d; c++)
                o[c] += p * v[c];
        }
        for (int c = 0; c < d; c++)
            o[c] /= sum;
    }
    free(score);
}
