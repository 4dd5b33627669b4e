/* Includes the verifier from where it is mounted when something is verified.
 *
 * Must end: rejected
 */
#include "/tests/verifier.c"
#include "honest.h"

void twice(uint64_t *numbers, size_t count) { honest(numbers, count); }
