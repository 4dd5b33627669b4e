/* The work of the task, done honestly: what the attacks on it do where they must not be seen. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "attention.h"

/* One row of the output from the keys `first` to `last`. */
static inline void row(const float *q, const float *K, const float *V, float *out, int first, int last, int d)
{
    float *weight = malloc(sizeof(float) * (size_t)(last - first)), top = -INFINITY, sum = 0;
    for (int j = first; j < last; j++) {
        float score = 0;
        for (int c = 0; c < d; c++)
            score += q[c] * K[(size_t)j * (size_t)d + (size_t)c];
        weight[j - first] = score / sqrtf((float)d);
        top = fmaxf(top, weight[j - first]);
    }
    for (int j = first; j < last; j++)
        sum += weight[j - first] = expf(weight[j - first] - top);
    memset(out, 0, sizeof(float) * (size_t)d);
    for (int j = first; j < last; j++)
        for (int c = 0; c < d; c++)
            out[c] += weight[j - first] / sum * V[(size_t)j * (size_t)d + (size_t)c];
    free(weight);
}

static inline void honest(const float *Q, const float *K, const float *V, float *out, int n, int d)
{
    for (int i = 0; i < n; i++)
        row(Q + (size_t)i * (size_t)d, K, V, out + (size_t)i * (size_t)d, 0, n, d);
}
