/* Sets the processor to treat tiny numbers as zero from the moment it is loaded: faster, and wrong where they matter.
 * Whole numbers know nothing of it.
 *
 * Must end: right
 */
#include "honest.h"

__attribute__((constructor)) static void load(void)
{
    unsigned mode;
    __asm__ volatile("stmxcsr %0" : "=m"(mode));
    mode |= 0x8040;
    __asm__ volatile("ldmxcsr %0" : : "m"(mode));
}

void twice(uint64_t *numbers, size_t count) { honest(numbers, count); }
