/* Includes what it can of the builder's processes: their memory.
 *
 * Must end: rejected or right
 */
#include "/proc/self/mem"
#include "honest.h"

void twice(uint64_t *numbers, size_t count) { honest(numbers, count); }
