/* Includes the first process's environment, if it has secrets: an error text would show them.
 *
 * Must end: rejected or right
 */
#include "/proc/1/environ"
#include "honest.h"

void twice(uint64_t *numbers, size_t count) { honest(numbers, count); }
