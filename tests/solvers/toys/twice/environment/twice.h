#include <stddef.h>
#include <stdint.h>

/* Every number times two, modulo 2^64. */
void twice(uint64_t *numbers, size_t count);
