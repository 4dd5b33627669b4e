/* Maps more of the output than there is, and fills it: a region that grows is memory that the harness pays for.
 *
 * Must end: crash
 */
#include "honest.h"

void twice(uint64_t *numbers, size_t count)
{
    honest(numbers, count);
    char *more = mmap(NULL, 1ul << 32, PROT_READ | PROT_WRITE, MAP_SHARED, 5, 0);
    must(more != MAP_FAILED, "mmap");
    for (size_t at = 0; at < 1ul << 32; at += 4096)
        more[at] = 1;
}
