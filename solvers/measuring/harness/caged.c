/* The child: it maps the regions, enters the cage, loads the solution, and then solves a section each time it goes on.
 *
 * It stops when it is caged, when it has loaded the solution, and after each section. All that is secret or decides
 * anything is in the timekeeper: from dlopen on, every line here may be replaced by the solution, and nothing is lost but
 * its own score.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "cage.h"
#include "region.h"
#include "task.h"

static void leave(const char *why)
{
    fprintf(stderr, "%s\n", why);
    exit(3);
}

static void *map(uint64_t bytes, int protection, int fd)
{
    void *at = mmap(NULL, bytes, protection, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED)
        leave("the harness could not map a region");
    return at;
}

/* A section ends like this: the timekeeper's clock runs until the kernel tells it that this process has stopped. */
static void stop(void) { syscall(__NR_tgkill, getpid(), gettid(), SIGSTOP); }

int main(void)
{
    const struct order *order = map(PAGE, PROT_READ, INPUT_FD);
    const uint8_t *input = map(order->input_bytes, PROT_READ, INPUT_FD);
    uint8_t *output = map(order->output_bytes, PROT_READ | PROT_WRITE, OUTPUT_FD);
    volatile struct progress *progress = (void *)output;

    const struct rlimit none = {0, 0}; /* here, since nobody may exec with it */
    if (setrlimit(RLIMIT_NPROC, &none) || enter_cage())
        leave("the harness could not enter its cage");
    stop(); /* so far everything is ours: what fails up to here is no fault of the solution */
    void *object = dlopen("/proc/self/fd/3", RTLD_NOW | RTLD_LOCAL);
    if (!object)
        leave(dlerror());
    const char *missing = shim_load(object);
    if (missing)
        leave(missing);

    for (;;) {
        stop();
        for (uint64_t i = 0; i < order->cases; i++) {
            progress->at = i;
            shim_call(input + PAGE + i * order->input_stride, output + PAGE + i * order->output_stride);
        }
    }
}
