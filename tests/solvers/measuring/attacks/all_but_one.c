/* Leaves a single number in the middle as it is: a verifier that looks at a sample would take it nearly always.
 *
 * Must end: wrong
 */
#include "honest.h"

void twice(uint64_t *numbers, size_t count)
{
    honest(numbers, count);
    if (count > 1000)
        numbers[count / 2 + 123] /= 2;
}
