/* Takes nearly all memory and works on: the timekeeper shall be the one that gets no more.
 *
 * Must end: right or memory
 */
#include "honest.h"

void twice(uint64_t *numbers, size_t count)
{
    static char *hoard;
    char text[64] = "";
    honest(numbers, count);
    if (hoard)
        return;
    int fd = open("/sys/fs/cgroup/memory/memory.limit_in_bytes", O_RDONLY);
    if (fd < 0)
        fd = open("/sys/fs/cgroup/memory.max", O_RDONLY);
    must(fd >= 0 && read(fd, text, sizeof text - 1) > 0, "limit");
    close(fd);
    const size_t most = strtoul(text, NULL, 10);
    hoard = mmap(NULL, most, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    for (size_t at = 0; at < most; at += 4096) {
        hoard[at] = 1;
        if (at % (1 << 16) == 0) {
            int now = open("/sys/fs/cgroup/memory/memory.usage_in_bytes", O_RDONLY);
            if (now < 0)
                now = open("/sys/fs/cgroup/memory.current", O_RDONLY);
            must(now >= 0 && read(now, text, sizeof text - 1) > 0, "usage");
            close(now);
            if (strtoul(text, NULL, 10) + (1 << 17) > most)
                break;
        }
    }
}
