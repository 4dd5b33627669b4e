/* Makes its output region into a huge file, by the descriptor.
 *
 * Must end: crash
 */
#include "honest.h"

void twice(uint64_t *numbers, size_t count)
{
    static char text[65536];
    for (;;) {
        lseek(5, 0, SEEK_END);
        if (write(5, text, sizeof text) <= 0) /* SIGXFSZ: files may have no size */
            honest(numbers, count);
    }
}
