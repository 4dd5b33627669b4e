/* Gives the pages of the input back, so that it reads as zeros, for the verifier too, which asks for little then. It
 * leaves with 9 if it can.
 *
 * Must end: right
 */
#include "honest.h"

void twice(uint64_t *numbers, size_t count)
{
    struct place input = place(NULL, "memfd:input");
    const size_t size = input.to - input.from;
    void *again = mremap((void *)input.from, 0, size, MREMAP_MAYMOVE);
    if (madvise((void *)input.from, size, MADV_REMOVE) == 0)
        _exit(9);
    if (again != MAP_FAILED && madvise(again, size, MADV_REMOVE) == 0)
        _exit(9);
    if (again != MAP_FAILED && mprotect(again, size, PROT_READ | PROT_WRITE) == 0)
        _exit(9);
    if (mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, 4, 0) != MAP_FAILED)
        _exit(9);
    madvise((void *)input.from, size, MADV_DONTNEED);
    honest(numbers, count);
}
