/* Lists all processes: those of other branches, of the host, or its own leftovers. It leaves with 9 if there are more
 * than the container's first, the timekeeper and itself.
 *
 * Must end: right
 */
#include "honest.h"

__attribute__((constructor)) static void load(void)
{
    char names[16384];
    int fd = open("/proc", O_RDONLY | O_DIRECTORY), others = 0;
    for (long size; (size = syscall(SYS_getdents64, fd, names, sizeof names)) > 0;)
        for (long at = 0; at < size; at += *(unsigned short *)(names + at + 16)) {
            int pid = atoi(names + at + 19);
            others += pid > 1 && pid != getpid() && pid != parent();
        }
    close(fd);
    if (others)
        _exit(9);
}

void twice(uint64_t *numbers, size_t count) { honest(numbers, count); }
