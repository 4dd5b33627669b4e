/* Does not have the function at all.
 *
 * Must end: load
 */
#include "honest.h"

void thrice(uint64_t *numbers, size_t count) { honest(numbers, count); }
