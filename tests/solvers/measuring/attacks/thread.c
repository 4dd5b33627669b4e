/* Has a second thread do the work, on another core, or while the first one has told the harness that it is done.
 *
 * Must end: forbidden
 */
#include "honest.h"

static uint64_t *volatile work_at;
static volatile size_t work_size;

static void *work(void *unused)
{
    for (;;)
        if (work_at) {
            honest(work_at, work_size);
            work_at = NULL;
        }
    return unused;
}

void twice(uint64_t *numbers, size_t count)
{
    static pthread_t thread;
    if (!thread && pthread_create(&thread, NULL, work, NULL))
        honest(numbers, count); /* it does not come to this */
    work_size = count;
    work_at = numbers;
}
