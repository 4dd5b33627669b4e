/* As the thread, by the old system call, with everything shared.
 *
 * Must end: forbidden
 */

#define _GNU_SOURCE
#include <sched.h>

#include "honest.h"

static int work(void *unused)
{
    (void)unused;
    for (;;)
        ;
}

void twice(uint64_t *numbers, size_t count)
{
    char *stack = malloc(65536);
    clone(work, stack + 65536, CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM, NULL);
    honest(numbers, count);
}
