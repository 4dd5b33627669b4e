/* Works for longer than a second while it is loaded, outside of the clock: time for huge tables.
 *
 * Must end: time
 */
#include "honest.h"

__attribute__((constructor)) static void load(void) { spend(1.3); }

void twice(uint64_t *numbers, size_t count) { honest(numbers, count); }
