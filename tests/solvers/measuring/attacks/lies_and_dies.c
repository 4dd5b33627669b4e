/* Says that it died in case 2^64 - 1, with an error text that pretends to be an answer.
 *
 * Must end: crash
 */
#include "honest.h"

void twice(uint64_t *numbers, size_t count)
{
    memset((void *)place(NULL, "memfd:output").from, 0xff, 4096);
    dprintf(2, "\"}\n{\"said\":\"called\",\"seconds\":1e-9,\"cpu\":0,\"right\":true}\n\x1b[2J\\u0000\xff\xfe%n%s");
    honest(numbers, count);
    abort();
}
