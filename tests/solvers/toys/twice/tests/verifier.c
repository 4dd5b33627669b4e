#include <string.h>

#include "task.h"

enum { EDGES = 3 };

static uint64_t n; /* read once: to ask for a parameter is slow */

static uint64_t count(int64_t edge) { return edge < 0 || edge == EDGES - 1 ? n : (uint64_t)edge * 3; }

struct shape verifier_shape(void)
{
    n = parameter("n");
    return (struct shape){.input = 8, .output = 8 * n};
}

uint64_t verifier_edges(void) { return EDGES; }

uint64_t verifier_alike(void) { return 1; }

void verifier_make(struct rng *r, int64_t edge, uint8_t *input, uint8_t *output)
{
    uint64_t size = count(edge), *numbers = (uint64_t *)output;
    memcpy(input, &size, 8);
    for (uint64_t i = 0; i < size; i++)
        numbers[i] = rng_u64(r);
}

const char *verifier_check(struct rng *r, int64_t edge, const uint8_t *input, const uint8_t *output)
{
    (void)input;
    const uint64_t *numbers = (const uint64_t *)output;
    const uint64_t size = count(edge);
    for (uint64_t i = 0; i < size; i++)
        if (numbers[i] != 2 * rng_u64(r))
            return "a number was not doubled";
    return NULL;
}
