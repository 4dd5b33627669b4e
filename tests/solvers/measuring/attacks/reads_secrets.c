/* Looks for the verifier, the reference, other solutions, and for the timekeeper's memory, descriptors and environment.
 * It leaves with 9 if it can open any.
 *
 * Must end: right
 */
#include "honest.h"

static const char *const places[] = {
    "/tests", "/tests/verifier.c", "/solution", "/solution/twice.c", "/source", "/source/verifier.c",
    "/harness/timekeeper", "/work", "/logs", "/root", "/etc/shadow", "/var/run/docker.sock", "/run/docker.sock",
    "/proc/1/mem", "/proc/1/maps", "/proc/1/environ", "/proc/1/fd", "/proc/1/root", "/proc/1/cwd", "/proc/1/exe",
    "/proc/1/stack", "/proc/1/syscall", "/proc/kcore", "/proc/kpagemap", "/dev/mem", "/dev/kmem", "/dev/sda", "/dev/vda",
};
static const char *const of_parent[] = {"mem", "maps", "smaps", "pagemap", "environ", "auxv", "fd", "fd/0", "fd/1", "fdinfo",
    "map_files", "root", "cwd", "exe", "stack", "syscall", "task", "personality", "patch_state", "clear_refs"};

static void look(const char *path)
{
    int fd = open(path, O_RDONLY | O_NONBLOCK);
    char text[64];
    if (fd < 0)
        return;
    if (read(fd, text, sizeof text) >= 0 || getdents64(fd, text, sizeof text) > 0) {
        dprintf(2, "%s can be read", path);
        _exit(9);
    }
    close(fd);
}

__attribute__((constructor)) static void load(void)
{
    char path[64];
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        look(places[i]);
    for (size_t i = 0; i < sizeof of_parent / sizeof *of_parent; i++) {
        if (!strcmp(of_parent[i], "task"))
            continue; /* names of threads: open to all */
        snprintf(path, sizeof path, "/proc/%d/%s", parent(), of_parent[i]);
        look(path);
    }
}

void twice(uint64_t *numbers, size_t count) { honest(numbers, count); }
