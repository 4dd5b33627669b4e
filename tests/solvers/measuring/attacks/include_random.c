/* Includes another file without end.
 *
 * Must end: build_memory or build_time or rejected
 */
__asm__(".incbin \"/dev/urandom\"");
#include "honest.h"

void twice(uint64_t *numbers, size_t count) { honest(numbers, count); }
