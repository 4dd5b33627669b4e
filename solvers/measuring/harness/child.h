/* The child as the timekeeper sees it: started caged, continued, waited for, ended. */
#ifndef HEURESIS_CHILD_H
#define HEURESIS_CHILD_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct child {
    pid_t pid;      /* 0: there is none */
    int object, input, output, text; /* memfds, and the reading end of its error texts */
    long oom_kills; /* in this container before it was started; -1: not known */
};

/* How a wait ended. STOPPED is what every section should end with. */
enum end { STOPPED, CRASHED, EXITED, FORBIDDEN, OUT_OF_MEMORY, KILLED, OUT_OF_TIME, DRIVER_GONE };

struct wait {
    enum end end;
    int64_t stopped_at; /* ns of the clock below */
    int detail;         /* signal or exit code */
};

/* The clock that counts: CLOCK_MONOTONIC in this process, ns. */
int64_t now(void);

/* Block SIGCHLD; once, first. */
void watch_children(void);

/* Start the program `caged` under `uid`, on our core. It stops once when it is caged; if it does not come to that, it is
 * the machine or the harness that fails. */
void start(struct child *child, uid_t uid);

/* Wait for the child to stop, `limit_ns` at most; a child that did not is killed and reaped. */
struct wait await_stop(struct child *child, int64_t limit_ns);

/* Let the stopped child run; the clock has to be read before. */
void go_on(struct child *child);

/* CPU time that the child has had, ns. Evidence of a disturbed section, never the score. */
int64_t cpu_time(const struct child *child);

/* What it wrote to stderr, at most `size` - 1 bytes. */
void error_text(struct child *child, char *text, size_t size);

/* Kill and reap it; what it had open stays open here. */
void end(struct child *child);

#endif
