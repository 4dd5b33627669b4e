/* One head of scaled dot-product attention. This file is protected: a solution is built with the original. */
#ifndef ATTENTION_H
#define ATTENTION_H

/* out = softmax(Q K^T / sqrt(d)) V. Q, K, V and out are n rows of d floats, row after row without gaps. */
void attention(const float *Q, const float *K, const float *V, float *out, int n, int d);

#endif
