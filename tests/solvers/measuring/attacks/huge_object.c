/* An object of a size that still can be built, but not be taken.
 *
 * Must end: rejected or build_memory
 */
#include "honest.h"

__asm__(".data\n.fill 70000000, 1, 1\n.text");

void twice(uint64_t *numbers, size_t count) { honest(numbers, count); }
