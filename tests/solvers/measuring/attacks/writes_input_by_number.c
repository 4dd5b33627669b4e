/* Writes into the input through every descriptor that it has, and through a new one. All of it is refused (or, for the
 * output, ends at the limit on files).
 *
 * Must end: crash
 */
#include "honest.h"

void twice(uint64_t *numbers, size_t count)
{
    struct sigaction ignored = {.sa_handler = SIG_IGN};
    uint64_t zero = 0;
    if (openat(AT_FDCWD, "/proc/self/fd/4", O_RDWR) >= 0 || openat(AT_FDCWD, "/proc/self/fd/3", O_RDWR) >= 0)
        _exit(9);
    sigaction(SIGXFSZ, &ignored, NULL);
    for (int fd = 3; fd < 6; fd++) {
        lseek(fd, 0, SEEK_SET);
        if (write(fd, &zero, sizeof zero) > 0)
            _exit(9);
    }
    void *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, 4, 0);
    *(volatile char *)shared = 1; /* the failed mapping: a crash */
    honest(numbers, count);
}
