/* Does the whole section in a handler of the signal that continues it. The clock runs by then.
 *
 * Must end: right, not faster
 */
#include "honest.h"

static const uint64_t *order;
static char *output;

static void on_continue(int signal)
{
    (void)signal;
    for (uint64_t i = 0; i < order[4]; i++) {
        const uint64_t *input = (const uint64_t *)((const char *)order + 4096 + i * order[2]);
        honest((uint64_t *)(output + i * order[3]), *input);
    }
}

__attribute__((constructor)) static void load(void)
{
    struct sigaction action = {.sa_handler = on_continue};
    order = (const uint64_t *)place(NULL, "memfd:input").from;
    output = (char *)place(NULL, "memfd:output").from + 4096;
    must(sigaction(SIGCONT, &action, NULL) == 0, "sigaction");
}

void twice(uint64_t *numbers, size_t count) { (void)numbers, (void)count; }
