#include "twice.h"

void twice(uint64_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        volatile uint64_t steps = 300;
        for (uint64_t step = 0; step < steps; step++)
            numbers[i] += step == 0 ? numbers[i] : 0;
    }
}
