/* Writes over the C library's function by which the child stops: sections never end.
 *
 * Must end: time
 */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "honest.h"

void twice(uint64_t *numbers, size_t count)
{
    char *code = dlsym(RTLD_DEFAULT, "syscall");
    honest(numbers, count);
    must(mprotect((void *)((uintptr_t)code & ~4095ul), 8192, PROT_READ | PROT_WRITE | PROT_EXEC) == 0, "mprotect");
    *code = (char)0xc3; /* ret */
}
