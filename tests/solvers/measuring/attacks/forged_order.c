/* Puts an order of its own in place of the harness's: a section of no cases at all.
 *
 * Must end: wrong
 */
#include "honest.h"

void twice(uint64_t *numbers, size_t count)
{
    static int done;
    char line[512];
    FILE *maps = done++ ? NULL : fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps)) {
        uintptr_t from, to;
        if (!strstr(line, "memfd:input") || sscanf(line, "%lx-%lx", &from, &to) != 2)
            continue;
        uint64_t copy[512];
        memcpy(copy, (void *)from, 4096);
        copy[4] = 0;
        void *at = mmap((void *)from, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        must(at == (void *)from, "mmap");
        memcpy(at, copy, 4096);
    }
    honest(numbers, count);
}
