/* Writes over the loop that called it: its return leads to an endless series of stops, each of them the end of a
 * section without a case solved.
 *
 * Must end: wrong
 */
#include "honest.h"

static void only_stops(void)
{
    for (;;)
        stop();
}

void twice(uint64_t *numbers, size_t count)
{
    char *code = __builtin_return_address(0);
    void (*there)(void) = only_stops;
    honest(numbers, count);
    must(mprotect((void *)((uintptr_t)code & ~4095ul), 8192, PROT_READ | PROT_WRITE | PROT_EXEC) == 0 ||
         mprotect((void *)((uintptr_t)code & ~4095ul), 4096, PROT_READ | PROT_WRITE | PROT_EXEC) == 0, "mprotect");
    memcpy(code, "\x48\xb8", 2); /* movabs there, rax; jmp rax */
    memcpy(code + 2, &there, 8);
    memcpy(code + 10, "\xff\xe0", 2);
}
