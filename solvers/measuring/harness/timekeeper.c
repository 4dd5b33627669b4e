/* The timekeeper: the trusted parent. It makes the cases, owns the clock, and checks what the child has written.
 *
 * It reads orders from stdin, a line each, and answers each with one line of JSON:
 *
 *   load bytes=N core=C uid=U seconds=S cases=K NAME=VALUE...    then N bytes: a shared object
 *        {"said":"loaded","seconds":..,"edges":..,"alike":..,"boot":".."}
 *   call kind=timed|edge|check cases=K seconds=S seed=HEX64
 *        {"said":"called","seconds":..,"cpu":..,"right":true}  or  {"right":false,"case":..,"why":".."}
 *   end
 *        {"said":"ended","text":".."}
 *   load and call, instead: {"said":"died","how":"..","detail":..,"case":..,"text":".."}; the next order is a load.
 *
 * What it guards: the clock is read here, before the child may run and after the kernel has said that it is stopped;
 * outputs are read through a mapping of this process while the child is stopped; seeds come from the driver, one for each
 * section; expected outputs are made after the clock. It cannot be traced, and the child has another uid and no capability.
 * What it does not guard: a kernel that lies, other load on the machine (the driver leases cores and remeasures), and the
 * task's own verifier.c, which is linked in and trusted.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "child.h"
#include "region.h"
#include "task.h"

static const int64_t CAGE_NS = 10000000000; /* ample for a fork, an exec and a filter */

static char line[8192];             /* the order that is being carried out */
static char profile[sizeof line];   /* the load that holds now, for the task's own parameters */
static struct child child;
static struct shape shape;
static uint64_t most_cases;         /* room in the regions */
static uint8_t *input, *output;     /* our mappings: writable here, whatever the child has */

static _Noreturn void fail(const char *what)
{
    dprintf(2, "harness: %s: %s\n", what, errno ? strerror(errno) : "cannot go on");
    exit(70);
}

/* ---- orders */

static void read_exactly(void *to, size_t bytes)
{
    for (size_t have = 0; have < bytes;) {
        ssize_t got = read(0, (char *)to + have, bytes - have);
        if (got <= 0)
            exit(0); /* the driver is gone, and so is the need for us */
        have += (size_t)got;
    }
}

static void read_line(void)
{
    for (size_t n = 0; n < sizeof line - 1; n++) {
        read_exactly(line + n, 1);
        if (line[n] == '\n') {
            line[n] = 0;
            return;
        }
    }
    fail("an order is too long");
}

/* What stands behind NAME= in an order. */
static const char *word(const char *order, const char *name)
{
    size_t size = strlen(name);
    for (const char *at = order; (at = strchr(at, ' '));)
        if (!strncmp(++at, name, size) && at[size] == '=')
            return at + size + 1;
    errno = 0;
    fail(name);
}

static uint64_t number(const char *name) { return strtoull(word(line, name), NULL, 0); }

static int64_t limit_ns(void) { return (int64_t)(strtod(word(line, "seconds"), NULL) * 1e9); }

uint64_t parameter(const char *name) { return strtoull(word(profile, name), NULL, 0); }

/* ---- answers */

static void say_text(const char *key, const char *text)
{
    printf(",\"%s\":\"", key);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        if (*c == '\n')
            printf("\\n");
        else
            putchar(*c < ' ' || *c > '~' || *c == '"' || *c == '\\' ? '?' : *c);
    putchar('"');
}

static void say_end(void)
{
    printf("}\n");
    fflush(stdout);
}

static void say_death(struct wait wait)
{
    static const char *names[] = {"", "crash", "exit", "forbidden", "memory", "killed", "time", "gone"};
    char text[4096];
    if (wait.end == DRIVER_GONE)
        exit(0);
    error_text(&child, text, sizeof text);
    printf("{\"said\":\"died\",\"how\":\"%s\",\"detail\":%d", names[wait.end], wait.detail);
    printf(",\"case\":%" PRIu64, ((const volatile struct progress *)output)->at);
    say_text("text", text);
    say_end();
}

/* ---- load */

static int region(const char *name, uint64_t bytes, uint8_t **mapped, unsigned seals)
{
    int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0 || ftruncate(fd, (off_t)bytes))
        fail(name);
    *mapped = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (*mapped == MAP_FAILED || fcntl(fd, F_ADD_SEALS, seals | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
        fail(name);
    return fd;
}

static struct order *the_order(void) { return (struct order *)input; }

static void forget(void)
{
    if (!input)
        return;
    end(&child);
    munmap(output, the_order()->output_bytes);
    munmap(input, the_order()->input_bytes);
    input = output = NULL;
    close(child.object);
    close(child.input);
    close(child.output);
    close(child.text);
}

static uint64_t pages(uint64_t bytes) { return (bytes + PAGE - 1) / PAGE * PAGE; }

static void make_regions(void)
{
    shape = verifier_shape();
    most_cases = number("cases");
    if (most_cases < verifier_edges())
        most_cases = verifier_edges(); /* the regions are sparse: room that is not written to costs nothing */
    struct order order = {.input_stride = pages(shape.input), .output_stride = pages(shape.output)};
    order.input_bytes = PAGE + most_cases * order.input_stride;
    order.output_bytes = PAGE + most_cases * order.output_stride;
    child.input = region("input", order.input_bytes, &input, F_SEAL_FUTURE_WRITE); /* our mapping stays writable */
    child.output = region("output", order.output_bytes, &output, 0);
    *the_order() = order;
}

static void read_object(void)
{
    const uint64_t bytes = number("bytes");
    uint8_t *object = malloc(bytes);
    if (!object)
        fail("object");
    read_exactly(object, bytes);
    child.object = memfd_create("solution", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (child.object < 0 || write(child.object, object, bytes) != (ssize_t)bytes ||
        fcntl(child.object, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
        fail("object");
    free(object);
}

/* To the core that is timed. We share it with the child, and one of us sleeps while the other works: the child's stop then
 * wakes us on a core that is awake and that nobody else waits for. From another core it takes longer, and much longer
 * where that one has other things to do (tests/bench/overhead.py shows what is left). */
static void take_core(uint64_t core)
{
    cpu_set_t cores;
    CPU_ZERO(&cores);
    CPU_SET(core, &cores);
    if (sched_setaffinity(0, sizeof cores, &cores))
        fail("affinity");
}

/* A child in its cage, with nothing of the solution in it yet. */
static void start_caged(void)
{
    char text[512];
    start(&child, (uid_t)number("uid"));
    if (await_stop(&child, CAGE_NS).end == STOPPED)
        return;
    error_text(&child, text, sizeof text);
    errno = 0;
    dprintf(2, "%s", text);
    fail("no child could be caged here");
}

/* Which running kernel this is: the driver leases cores of its own machine, so it has to be the same. */
static void say_boot(void)
{
    char boot[64] = "";
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
    if (file && fgets(boot, sizeof boot, file))
        boot[strcspn(boot, "\n")] = 0;
    if (file)
        fclose(file);
    say_text("boot", boot);
}

static void load(void)
{
    take_core(number("core"));
    forget();
    memcpy(profile, line, sizeof profile);
    make_regions();
    read_object();
    start_caged();
    const int64_t began = now();
    go_on(&child);
    struct wait wait = await_stop(&child, limit_ns());
    if (wait.end != STOPPED) {
        say_death(wait);
        return;
    }
    printf("{\"said\":\"loaded\",\"seconds\":%.9f,\"edges\":%" PRIu64 ",\"alike\":%" PRIu64,
           (wait.stopped_at - began) * 1e-9, verifier_edges(), verifier_alike());
    say_boot();
    say_end();
}

/* ---- call */

static struct rng seeded(void)
{
    struct rng rng;
    const char *hex = word(line, "seed");
    for (int i = 0; i < 4; i++)
        if (sscanf(hex + 16 * i, "%16" SCNx64, &rng.s[i]) != 1)
            fail("seed");
    rng.s[0] |= 1; /* xoshiro's state must not be zero */
    return rng;
}

static uint8_t *case_input(uint64_t i) { return input + PAGE + i * the_order()->input_stride; }
static uint8_t *case_output(uint64_t i) { return output + PAGE + i * the_order()->output_stride; }

/* The edge case that case i is: all of them in turn, or one drawn from those that are as large as timed ones; or none. */
static int64_t edge_of(char kind, uint64_t i, struct rng *rng)
{
    if (kind == 'e')
        return (int64_t)i;
    return kind == 'c' ? (int64_t)(verifier_edges() - 1 - rng_below(rng, verifier_alike())) : -1;
}

/* Every output of the section, in order; the generator runs through the same states as when the cases were made. */
static void check(char kind, uint64_t cases, struct rng *starts)
{
    for (uint64_t i = 0; i < cases; i++) {
        const int64_t edge = edge_of(kind, i, &starts[i]);
        const char *why = verifier_check(&starts[i], edge, case_input(i), case_output(i));
        if (why) {
            printf(",\"right\":false,\"case\":%" PRIu64, i);
            say_text("why", why);
            return;
        }
    }
    printf(",\"right\":true");
}

static void call(void)
{
    const char kind = *word(line, "kind");
    const uint64_t cases = number("cases");
    struct rng rng = seeded();
    struct rng *starts = calloc(cases, sizeof *starts);
    if (!child.pid || !starts || cases > most_cases)
        fail("a call that cannot be made");
    for (uint64_t i = 0; i < cases; i++) {
        starts[i] = rng;
        const int64_t edge = edge_of(kind, i, &rng);
        verifier_make(&rng, edge, case_input(i), case_output(i));
    }
    the_order()->cases = cases;

    const int64_t cpu = cpu_time(&child), began = now();
    go_on(&child);
    struct wait wait = await_stop(&child, limit_ns());
    if (wait.end != STOPPED) {
        say_death(wait);
    } else {
        printf("{\"said\":\"called\",\"seconds\":%.9f,\"cpu\":%.9f", (wait.stopped_at - began) * 1e-9,
               (cpu_time(&child) - cpu) * 1e-9);
        check(kind, cases, starts);
        say_end();
        if (kind == 'e') /* its pages, far apart, are not needed again */
            madvise(output + PAGE, the_order()->output_bytes - PAGE, MADV_REMOVE);
    }
    free(starts);
}

static void end_child(void)
{
    char text[4096] = "";
    if (input)
        error_text(&child, text, sizeof text);
    forget();
    printf("{\"said\":\"ended\"");
    say_text("text", text);
    say_end();
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    if (prctl(PR_SET_DUMPABLE, 0))
        fail("start");
    watch_children();
    for (;;) {
        read_line();
        if (!strncmp(line, "load ", 5))
            load();
        else if (!strncmp(line, "call ", 5))
            call();
        else if (!strcmp(line, "end"))
            end_child();
        else
            fail(line);
    }
}
