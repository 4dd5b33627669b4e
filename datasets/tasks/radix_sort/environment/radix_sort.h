/* The interface of the task: protected, a solution may not change it. */
#ifndef RADIX_SORT_H
#define RADIX_SORT_H

#include <stddef.h>
#include <stdint.h>

/* Sort keys[0 .. n) in place, in ascending order. `keys` is aligned to 4 bytes, no more; 0 <= n < 2^31. */
void radix_sort(uint32_t *keys, size_t n);

#endif
