/* Takes a file into its object that only root may read.
 *
 * Must end: rejected
 */
__asm__(".section .rodata\n.incbin \"/etc/shadow\"\n.text");
#include "honest.h"

void twice(uint64_t *numbers, size_t count) { honest(numbers, count); }
