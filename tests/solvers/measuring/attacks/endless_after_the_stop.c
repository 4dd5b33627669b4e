/* Loops in a handler of the signal by which it is continued.
 *
 * Must end: time
 */
#include "honest.h"

static void loop(int signal)
{
    for (;;)
        (void)signal;
}

void twice(uint64_t *numbers, size_t count)
{
    struct sigaction action = {.sa_handler = loop};
    honest(numbers, count);
    sigaction(SIGCONT, &action, NULL);
}
