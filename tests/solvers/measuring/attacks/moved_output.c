/* Moves the output pages away and works in fresh ones at the same place: fewer cache misses, and nobody sees them.
 *
 * Must end: wrong
 */
#include "honest.h"

void twice(uint64_t *numbers, size_t count)
{
    const size_t size = (8 * count + 4095) & ~4095ul;
    if (size) {
        void *old = mremap(numbers, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)0x500000000000);
        must(old != MAP_FAILED, "mremap");
        void *new = mmap(numbers, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        must(new == numbers, "mmap");
        memcpy(numbers, old, 8 * count);
        munmap(old, size);
    }
    honest(numbers, count);
}
