/* Includes the verifier from beside its own folder.
 *
 * Must end: rejected
 */
#include "../tests/verifier.c"
#include "honest.h"

void twice(uint64_t *numbers, size_t count) { honest(numbers, count); }
