/* Includes the input of the compiler, which is empty.
 *
 * Must end: right
 */
#include "/dev/stdin"
#include "honest.h"

void twice(uint64_t *numbers, size_t count) { honest(numbers, count); }
