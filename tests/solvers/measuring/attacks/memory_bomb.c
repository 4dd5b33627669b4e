/* Takes memory until there is none.
 *
 * Must end: memory
 */
#include "honest.h"

void twice(uint64_t *numbers, size_t count)
{
    honest(numbers, count);
    for (;;) {
        char *more = malloc(1 << 24);
        if (more)
            memset(more, 1, 1 << 24);
    }
}
