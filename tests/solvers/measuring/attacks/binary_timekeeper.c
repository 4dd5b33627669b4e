/* Takes the timekeeper, with the verifier in it, into its object.
 *
 * Must end: rejected
 */
__asm__(".section .rodata\n.incbin \"/harness/timekeeper\"\n.text");
#include "honest.h"

void twice(uint64_t *numbers, size_t count) { honest(numbers, count); }
