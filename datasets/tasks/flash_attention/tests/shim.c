/* Calls the solution: `attention`, on arrays that lie where the case's head says. */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "task.h"

typedef void attention_fn(const float *, const float *, const float *, float *, int, int);

static attention_fn *attention;

const char *shim_load(void *object)
{
    attention = (attention_fn *)dlsym(object, "attention");
    return attention ? NULL : "the object has no function `attention`";
}

void shim_call(const uint8_t *input, uint8_t *output)
{
    const uint32_t *head = (const uint32_t *)input; /* n, d, then where Q, K, V and out begin, in bytes */
    attention((const float *)(input + head[2]), (const float *)(input + head[3]), (const float *)(input + head[4]),
              (float *)(output + head[5]), (int)head[0], (int)head[1]);
}
