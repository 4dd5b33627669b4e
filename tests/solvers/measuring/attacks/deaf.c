/* Blocks and ignores every signal that can be: the stop and the going on are not among them.
 *
 * Must end: right
 */
#include "honest.h"

void twice(uint64_t *numbers, size_t count)
{
    struct sigaction ignored = {.sa_handler = SIG_IGN};
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    for (int i = 1; i < 65; i++)
        sigaction(i, &ignored, NULL);
    honest(numbers, count);
}
