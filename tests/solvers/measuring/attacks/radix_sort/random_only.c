/* Takes for granted that keys are spread evenly: buckets of a fixed room, and what does not fit is left out.
 *
 * Must end: wrong or crash
 */
#include "honest.h"

void radix_sort(uint32_t *keys, size_t n)
{
    static uint32_t room[4096][2048];
    static unsigned short held[4096];
    size_t at = 0;
    memset(held, 0, sizeof held);
    for (size_t i = 0; i < n; i++)
        if (held[keys[i] >> 20] < 2048)
            room[keys[i] >> 20][held[keys[i] >> 20]++] = keys[i];
    for (int bucket = 0; bucket < 4096; bucket++) {
        honest(room[bucket], held[bucket]);
        memcpy(keys + at, room[bucket], 4 * held[bucket]);
        at += held[bucket];
    }
}
