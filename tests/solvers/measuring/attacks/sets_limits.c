/* Asks for its limits, as libraries do, which is allowed; then sets them.
 *
 * Must end: forbidden
 */
#include <sys/resource.h>

#include "honest.h"

void twice(uint64_t *numbers, size_t count)
{
    struct rlimit most;
    must(getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur == 0, "getrlimit");
    most.rlim_max = RLIM_INFINITY;
    setrlimit(RLIMIT_FSIZE, &most);
    honest(numbers, count);
}
