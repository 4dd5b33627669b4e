/* Right, but slow: a textbook heap sort. */
#include "radix_sort.h"

/* Let keys[top] sink until no key below it in the heap keys[0 .. n) is greater. */
static void sink(uint32_t *keys, size_t top, size_t n)
{
    uint32_t key = keys[top];
    for (size_t child; (child = 2 * top + 1) < n; top = child) {
        if (child + 1 < n && keys[child + 1] > keys[child])
            child++;
        if (keys[child] <= key)
            break;
        keys[top] = keys[child];
    }
    keys[top] = key;
}

void radix_sort(uint32_t *keys, size_t n)
{
    for (size_t top = n / 2; top-- > 0;)
        sink(keys, top, n);
    while (n > 1) {
        uint32_t greatest = keys[0];
        keys[0] = keys[--n];
        sink(keys, 0, n);
        keys[n] = greatest;
    }
}
