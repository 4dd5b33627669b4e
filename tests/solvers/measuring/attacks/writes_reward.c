/* Writes the reward itself, and everywhere else. It leaves with 9 if it can open anything for writing.
 *
 * Must end: right
 */
#include "honest.h"

static const char *const places[] = {
    "/logs/verifier/reward.json", "/logs/verifier/reward.txt", "/logs/x", "/tmp/x", "/dev/shm/x", "/app/x", "/app/twice.c",
    "/work/x", "/tests/x", "/var/tmp/x", "/run/x", "x", "/dev/mqueue/x", "/proc/self/mem", "/proc/self/oom_score_adj",
    "/proc/self/clear_refs", "/proc/1/mem", "/proc/1/fd/1", "/proc/self/fd/1", "/dev/console", "/dev/tty", "/dev/null",
    "/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/tasks",
};

static void attempt(const char *path, int how)
{
    if (openat(AT_FDCWD, path, how, 0666) >= 0) {
        dprintf(2, "%s can be opened for writing", path);
        _exit(9);
    }
}

__attribute__((constructor)) static void load(void)
{
    char path[64];
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        attempt(places[i], O_WRONLY | O_CREAT);
        attempt(places[i], O_RDWR);
        attempt(places[i], O_WRONLY | O_APPEND);
        attempt(places[i], O_RDONLY | O_TRUNC);
    }
    attempt("/tmp", O_TMPFILE | O_RDWR);
    attempt("/dev/shm", O_TMPFILE | O_RDWR);
    for (int fd = 0; fd < 16; fd++) {
        snprintf(path, sizeof path, "/proc/%d/fd/%d", parent(), fd);
        attempt(path, O_WRONLY);
    }
    snprintf(path, sizeof path, "/proc/%d/mem", parent());
    attempt(path, O_RDWR);
}

void twice(uint64_t *numbers, size_t count) { honest(numbers, count); }
