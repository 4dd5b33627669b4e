/* Gives the pages of the output back to the kernel, which may not be able to tell what is right any more.
 *
 * Must end: wrong
 */
#include "honest.h"

void twice(uint64_t *numbers, size_t count)
{
    struct place p = place(numbers, NULL);
    honest(numbers, count);
    if (count > 1000)
        must(madvise((void *)p.from, p.to - p.from, MADV_REMOVE) == 0, "madvise");
}
