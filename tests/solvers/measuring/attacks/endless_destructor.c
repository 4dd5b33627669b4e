/* Works, and would not let itself be unloaded. Nobody unloads it: it is killed.
 *
 * Must end: right
 */
#include "honest.h"

__attribute__((destructor)) static void unload(void)
{
    for (;;)
        ;
}

void twice(uint64_t *numbers, size_t count) { honest(numbers, count); }
