/* Writes all over its output region, which has more room than there is memory; ending it gives none of that back.
 *
 * Must end: memory, in a wide room
 */
#include "honest.h"

void twice(uint64_t *numbers, size_t count)
{
    struct place output = place(NULL, "memfd:output");
    honest(numbers, count);
    for (uintptr_t at = output.from; count > 1000 && at < output.to; at += 4096)
        *(volatile char *)at += 0;
}
