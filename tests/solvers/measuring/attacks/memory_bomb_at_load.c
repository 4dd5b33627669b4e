/* Takes memory until there is none, before it is called.
 *
 * Must end: memory
 */
#include "honest.h"

__attribute__((constructor)) static void load(void)
{
    for (;;) {
        char *more = mmap(NULL, 1 << 26, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (more != MAP_FAILED)
            memset(more, 1, 1 << 26);
    }
}

void twice(uint64_t *numbers, size_t count) { honest(numbers, count); }
