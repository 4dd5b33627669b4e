/* Includes the header of the harness, to know its regions.
 *
 * Must end: rejected
 */
#include "/harness/task.h"
#include "honest.h"

void twice(uint64_t *numbers, size_t count) { honest(numbers, count); }
