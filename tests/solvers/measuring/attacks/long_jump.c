/* Jumps from its second call back into its first, over the loop that counts the cases.
 *
 * Must end: wrong or crash or time or exit or forbidden
 */
#include "honest.h"

static jmp_buf first;

void twice(uint64_t *numbers, size_t count)
{
    static int calls;
    honest(numbers, count / 2);
    if (calls++ == 0)
        setjmp(first);
    else
        longjmp(first, 1);
}
