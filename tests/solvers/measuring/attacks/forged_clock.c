/* Brings clocks, waits and signals of its own, and spends time: whoever asks these clocks finds that none has passed.
 *
 * Must end: right, not faster
 */
#include "honest.h"

int clock_gettime(clockid_t clock, struct timespec *t)
{
    (void)clock;
    *t = (struct timespec){1, 0};
    return 0;
}

int gettimeofday(struct timeval *restrict t, void *restrict zone)
{
    (void)zone;
    *t = (struct timeval){1, 0};
    return 0;
}

time_t time(time_t *t) { return t ? *t = 1 : 1; }

int waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
    (void)type, (void)id, (void)info, (void)options;
    return 0;
}

void twice(uint64_t *numbers, size_t count)
{
    for (volatile int i = 0; i < 100000; i++)
        ;
    honest(numbers, count);
}
