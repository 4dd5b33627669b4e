/* Includes a folder.
 *
 * Must end: rejected
 */
#include "/work"
#include "honest.h"

void twice(uint64_t *numbers, size_t count) { honest(numbers, count); }
