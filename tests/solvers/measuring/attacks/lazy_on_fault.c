/* Makes the outputs inaccessible and does the work in a fault handler, when somebody looks. The verifier looks through
 * its own mapping, where there is no fault.
 *
 * Must end: wrong
 */
#include "honest.h"

static char *last_at;
static size_t last_size;

static void on_fault(int signal, siginfo_t *info, void *context)
{
    (void)signal, (void)info, (void)context;
    mprotect(last_at, last_size, PROT_READ | PROT_WRITE);
    honest((uint64_t *)last_at, last_size / 8);
}

void twice(uint64_t *numbers, size_t count)
{
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    must(sigaction(SIGSEGV, &action, NULL) == 0, "sigaction");
    last_at = (char *)numbers, last_size = 8 * count;
    if (count)
        must(mprotect(last_at, last_size, PROT_NONE) == 0, "mprotect");
}
