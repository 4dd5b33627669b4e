/* Fills memory to the brim with parts of its output region that are not in use: whoever needs a page more gets none.
 *
 * Must end: right or memory, in a wide room
 */
#include "honest.h"

static unsigned long number_in(const char *path)
{
    char text[64] = "";
    int fd = open(path, O_RDONLY);
    if (fd >= 0 && read(fd, text, sizeof text - 1) < 0)
        text[0] = 0;
    close(fd);
    return strtoul(text, NULL, 10);
}

static unsigned long room(void)
{
    const unsigned long v2 = number_in("/sys/fs/cgroup/memory.max");
    if (!v2)
        return number_in("/sys/fs/cgroup/memory/memory.limit_in_bytes") - number_in("/sys/fs/cgroup/memory/memory.usage_in_bytes");
    return v2 - number_in("/sys/fs/cgroup/memory.current");
}

void twice(uint64_t *numbers, size_t count)
{
    struct place output = place(NULL, "memfd:output");
    honest(numbers, count);
    for (uintptr_t at = output.to; count > 1000 && at > output.from && room() > 1 << 18; at -= 1 << 17)
        for (uintptr_t page = at - (1 << 17); page < at; page += 4096)
            *(volatile char *)page += 0;
}
