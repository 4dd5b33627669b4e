/* The caged half: calls radix_sort on the keys that lie in the output region. */
#include "task.h"

#include <dlfcn.h>

static void (*radix_sort)(uint32_t *keys, size_t n);

const char *shim_load(void *object)
{
    *(void **)&radix_sort = dlsym(object, "radix_sort");
    return radix_sort ? NULL : "there is no function radix_sort";
}

void shim_call(const uint8_t *input, uint8_t *output)
{
    const uint64_t *header = (const uint64_t *)input; /* how many keys, and at which byte they begin */
    radix_sort((uint32_t *)(output + header[1]), header[0]);
}
