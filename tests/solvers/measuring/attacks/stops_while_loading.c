/* Stops itself in its constructor, so that it counts as loaded, and is one section behind from then on: it works while
 * the harness believes that the next section has been made.
 *
 * Must end: wrong
 */
#include "honest.h"

__attribute__((constructor)) static void load(void) { stop(); }

void twice(uint64_t *numbers, size_t count) { honest(numbers, count); }
