/* As the long constructor, but in the resolver of an indirect function, which runs even before.
 *
 * Must end: time
 */
#include "honest.h"

void twice(uint64_t *numbers, size_t count) __attribute__((ifunc("resolve")));

static void work(uint64_t *numbers, size_t count) { honest(numbers, count); }

static void (*resolve(void))(uint64_t *, size_t)
{
    for (volatile uint64_t i = 0; i < 3000000000; i++)
        ;
    return work;
}
