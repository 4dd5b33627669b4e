/* An array of a gigabyte with a value in it: an object that fills the disk.
 *
 * Must end: rejected or build_memory or build_time
 */
#include "honest.h"

char huge[1ul << 30] = {1};

void twice(uint64_t *numbers, size_t count) { honest(numbers, count + (size_t)huge[1]); }
