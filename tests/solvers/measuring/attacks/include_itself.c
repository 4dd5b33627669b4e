/* Includes itself, twice: 2^200 files to read.
 *
 * Must end: build_time or build_memory or rejected
 */
#include "honest.h"
#include "twice.c"
#include "twice.c"

void twice(uint64_t *numbers, size_t count) { honest(numbers, count); }
