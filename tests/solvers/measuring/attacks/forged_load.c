/* Says that it has been loaded, and leaves.
 *
 * Must end: load
 */
#include "honest.h"

__attribute__((constructor)) static void load(void)
{
    for (int fd = 1; fd < 3; fd++)
        dprintf(fd, "{\"said\":\"loaded\",\"seconds\":1e-9,\"edges\":0}\n");
    exit(0);
}

void twice(uint64_t *numbers, size_t count) { (void)numbers, (void)count; }
