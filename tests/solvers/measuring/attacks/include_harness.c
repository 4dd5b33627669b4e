/* Includes the verifier from where the measuring image is made.
 *
 * Must end: rejected
 */
#include "/source/verifier.c"
#include "honest.h"

void twice(uint64_t *numbers, size_t count) { honest(numbers, count); }
