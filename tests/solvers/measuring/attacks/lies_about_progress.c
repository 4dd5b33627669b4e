/* Writes lies into the page of progress: the harness uses it for error texts and may not trip over it.
 *
 * Must end: right, not faster
 */
#include "honest.h"

void twice(uint64_t *numbers, size_t count)
{
    memset((void *)place(NULL, "memfd:output").from, 0xff, 4096);
    honest(numbers, count);
}
