/* The exponential of scores as they are: large ones overflow. */
#include <math.h>
#include <stdlib.h>

#include "attention.h"

void attention(const float *Q, const float *K, const float *V, float *out, int n, int d)
{
    float *weight = malloc((size_t)n * sizeof *weight);
    for (int i = 0; i < n; i++) {
        float most = -INFINITY, sum = 0;
        for (int j = 0; j < n; j++) {
            float score = 0;
            for (int c = 0; c < d; c++)
                score += Q[i * d + c] * K[j * d + c];
            weight[j] = score / sqrtf((float)d);
            if (weight[j] > most || isnan(weight[j]))
                most = weight[j];
        }
        for (int j = 0; j < n; j++) {
            weight[j] = expf(weight[j]);
            sum += weight[j];
        }
        for (int c = 0; c < d; c++) {
            float total = 0;
            for (int j = 0; j < n; j++)
                total += weight[j] * V[j * d + c];
            out[i * d + c] = total / sum;
        }
    }
    free(weight);
}
