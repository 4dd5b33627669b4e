/* Never gets loaded. Who waits for it waits for ever.
 *
 * Must end: time
 */
#include "honest.h"

__attribute__((constructor)) static void load(void)
{
    for (;;)
        ;
}

void twice(uint64_t *numbers, size_t count) { honest(numbers, count); }
