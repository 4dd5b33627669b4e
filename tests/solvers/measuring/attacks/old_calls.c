/* Asks the kernel by the 32-bit door, where numbers mean other calls: 20 is writev here and getpid there, 3 close here
 * and read there.
 *
 * Must end: forbidden or crash
 */
#include "honest.h"

void twice(uint64_t *numbers, size_t count)
{
    long answer;
    __asm__ volatile("int $0x80" : "=a"(answer) : "0"(20L) : "memory");
    honest(numbers, count);
}
