/* Leaves while it is loaded.
 *
 * Must end: load
 */
#include "honest.h"

__attribute__((constructor)) static void load(void) { _exit(0); }

void twice(uint64_t *numbers, size_t count) { honest(numbers, count); }
