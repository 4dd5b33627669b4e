/* Faults again and again, by a handler that does nothing.
 *
 * Must end: time
 */
#include "honest.h"

static void nothing(int signal) { (void)signal; }

void twice(uint64_t *numbers, size_t count)
{
    struct sigaction action = {.sa_handler = nothing};
    honest(numbers, count);
    sigaction(SIGSEGV, &action, NULL);
    *(volatile int *)16 = 1;
}
