/* Includes the reference solution.
 *
 * Must end: rejected
 */
#include "/solution/twice.c"
#include "honest.h"

void twice(uint64_t *numbers, size_t count) { honest(numbers, count); }
