#include "twice.h"

void twice(uint64_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        numbers[i] *= 2;
}
