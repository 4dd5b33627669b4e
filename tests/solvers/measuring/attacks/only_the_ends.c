/* Does the first and the last numbers only: a verifier that looks at a few outputs, or at a sum, would take it.
 *
 * Must end: wrong
 */
#include "honest.h"

void twice(uint64_t *numbers, size_t count)
{
    honest(numbers, count < 64 ? count : 64);
    if (count > 128)
        honest(numbers + count - 64, 64);
}
