/* What every attack on the toy task has at hand: the work itself, done honestly, and a look at this process. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "twice.h"

static inline void honest(uint64_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        numbers[i] *= 2;
}

static inline void must(int so, const char *what)
{
    if (!so) {
        dprintf(2, "the attack itself failed: %s: %s\n", what, strerror(errno));
        abort();
    }
}

static inline int parent(void)
{
    char text[512] = "";
    int fd = open("/proc/self/stat", O_RDONLY), pid = 0;
    must(fd >= 0 && read(fd, text, sizeof text - 1) > 0, "/proc/self/stat");
    close(fd);
    must(sscanf(strrchr(text, ')') + 1, " %*c %d", &pid) == 1, "ppid");
    return pid;
}

/* The mapping of this process that holds an address, or the first one of a name. */
struct place {
    uintptr_t from, to, offset;
};

static inline struct place place(const void *at, const char *name)
{
    char line[512];
    struct place found = {0, 0, 0};
    FILE *maps = fopen("/proc/self/maps", "r");
    must(maps != NULL, "/proc/self/maps");
    while (!found.to && fgets(line, sizeof line, maps)) {
        struct place p;
        if (sscanf(line, "%lx-%lx %*s %lx", &p.from, &p.to, &p.offset) != 3)
            continue;
        if (name ? strstr(line, name) != NULL : (uintptr_t)at >= p.from && (uintptr_t)at < p.to)
            found = p;
    }
    fclose(maps);
    must(found.to != 0, "no such mapping");
    return found;
}

static inline double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

static inline void spend(double duration)
{
    for (double until = seconds() + duration; seconds() < until;)
        ;
}

static inline void stop(void) { syscall(SYS_tgkill, getpid(), gettid(), SIGSTOP); }
