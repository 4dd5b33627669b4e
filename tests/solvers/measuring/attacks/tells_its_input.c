/* Dies with its input as its last words, for whoever reads the verdict to write the answers into the next solution.
 * They are told, and are of no use: every execution has another seed.
 *
 * Must end: crash
 */
#include "honest.h"

void twice(uint64_t *numbers, size_t count)
{
    honest(numbers, count);
    if (count > 1000) {
        for (int i = 0; i < 16; i++)
            dprintf(2, "%016lx ", numbers[i]);
        abort();
    }
}
