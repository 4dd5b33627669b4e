/* A small object that asks for more memory than there is when it is loaded.
 *
 * Must end: load
 */
#include "honest.h"

__asm__(".comm huge, 1099511627776, 64");

void twice(uint64_t *numbers, size_t count) { honest(numbers, count); }
