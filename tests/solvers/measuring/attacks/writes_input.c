/* Makes the input writable and changes the order in it, or an input that is easier to solve.
 *
 * Must end: crash
 */
#include "honest.h"

void twice(uint64_t *numbers, size_t count)
{
    volatile uint64_t *order = (uint64_t *)place(NULL, "memfd:input").from;
    mprotect((void *)order, 4096, PROT_READ | PROT_WRITE); /* refused */
    order[4] = 0;
    honest(numbers, count);
}
