/* Writes without end to where its errors go. What nobody reads is lost, and nobody waits for it.
 *
 * Must end: right
 */
#include "honest.h"

void twice(uint64_t *numbers, size_t count)
{
    static char text[65536];
    memset(text, '\a', sizeof text);
    for (int i = 0; i < 64; i++)
        if (write(1 + i % 2, text, sizeof text) < 0 && errno != EAGAIN)
            abort();
    honest(numbers, count);
}
