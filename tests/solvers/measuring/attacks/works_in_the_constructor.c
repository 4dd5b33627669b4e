/* Looks for inputs in its regions while it is loaded, and doubles all that is there: before a section there is none.
 *
 * Must end: wrong
 */
#include "honest.h"

__attribute__((constructor)) static void load(void)
{
    struct place output = place(NULL, "memfd:output");
    honest((uint64_t *)(output.from + 4096), 20000);
}

void twice(uint64_t *numbers, size_t count) { (void)numbers, (void)count; }
