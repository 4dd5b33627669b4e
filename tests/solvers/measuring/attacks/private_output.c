/* Maps the output again as a private copy and works there.
 *
 * Must end: wrong
 */
#include "honest.h"

void twice(uint64_t *numbers, size_t count)
{
    static int done;
    if (!done++) {
        struct place p = place(numbers, NULL);
        void *at = mmap((void *)p.from, p.to - p.from, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, 5, (off_t)p.offset);
        must(at == (void *)p.from, "mmap");
    }
    honest(numbers, count);
}
