/* Attention as one writes it over a BLAS: two products a block of rows, a softmax between them. */
#include <cblas.h>
#include <math.h>
#include <stdlib.h>

#include "attention.h"

enum { ROWS = 128 };

void attention(const float *Q, const float *K, const float *V, float *out, int n, int d)
{
    static float *scores;
    static int room;
    if (n > room)
        scores = realloc(scores, sizeof(float) * ROWS * (size_t)(room = n));
    for (int first = 0; first < n; first += ROWS) {
        const int rows = n - first < ROWS ? n - first : ROWS;
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, rows, n, d, 1.0f / sqrtf(d), Q + (size_t)first * d, d, K, d,
                    0.0f, scores, n);
        for (int i = 0; i < rows; i++) {
            float *row = scores + (size_t)i * n, most = row[0], sum = 0;
            for (int j = 1; j < n; j++)
                most = row[j] > most ? row[j] : most;
            for (int j = 0; j < n; j++)
                sum += row[j] = expf(row[j] - most);
            for (int j = 0; j < n; j++)
                row[j] /= sum;
        }
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, d, n, 1.0f, scores, n, V, d, 0.0f,
                    out + (size_t)first * d, d);
    }
}
