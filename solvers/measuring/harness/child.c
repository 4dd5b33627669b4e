#define _GNU_SOURCE
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "region.h"

#define CAGED "/harness/caged"
#define MUST(call)                                                                                                     \
    do {                                                                                                               \
        if ((call) < 0) {                                                                                              \
            dprintf(2, "harness: %s: %s\n", #call, strerror(errno));                                                   \
            _exit(70);                                                                                                 \
        }                                                                                                              \
    } while (0)

static void wake(int signal) { (void)signal; }

void watch_children(void)
{
    struct sigaction action = {.sa_handler = wake};
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    MUST(sigprocmask(SIG_BLOCK, &set, NULL)); /* it arrives in ppoll alone, so none is missed between look and sleep */
    MUST(sigaction(SIGCHLD, &action, NULL));
}

int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void limit(int what, rlim_t most)
{
    struct rlimit both = {most, most};
    MUST(setrlimit(what, &both));
}

/* The kernel should take the child first when the container's memory is spent. Best effort: some engines forbid it. */
static void offer_to_oom_killer(void)
{
    int fd = open("/proc/self/oom_score_adj", O_WRONLY);
    if (fd >= 0) {
        if (write(fd, "1000", 4) != 4)
            perror("oom_score_adj");
        close(fd);
    }
}

/* In the child, still trusted: give up everything, then become the caged program. Order matters: the uid goes last of
 * what needs privileges, the death signal after it, since a change of uid clears it. */
static void become_caged(const struct child *child, int text, uid_t uid)
{
    char *argv[] = {CAGED, NULL};
    char *envp[] = {"LANG=C", "OPENBLAS_NUM_THREADS=1", "OMP_NUM_THREADS=1", NULL};
    int empty = open("/dev/null", O_RDONLY);
    int from[] = {empty, text, text, child->object, child->input, child->output};
    for (int i = 0; i < 6; i++) /* first out of the way of the numbers that they shall get */
        MUST(from[i] = fcntl(from[i], F_DUPFD, 64));
    for (int i = 0; i < 6; i++)
        MUST(dup2(from[i], i));
    MUST(syscall(SYS_close_range, 6, ~0U, 0));
    offer_to_oom_killer();
    limit(RLIMIT_CORE, 1); /* 0 would still feed a program that the host's core_pattern names */
    limit(RLIMIT_FSIZE, 0);
    limit(RLIMIT_NOFILE, 64);
    limit(RLIMIT_MEMLOCK, 0);
    limit(RLIMIT_MSGQUEUE, 0);
    MUST(setgroups(0, NULL));
    MUST(setresgid(uid, uid, uid));
    MUST(setresuid(uid, uid, uid));
    MUST(prctl(PR_SET_PDEATHSIG, SIGKILL));
    sigset_t none;
    sigemptyset(&none);
    MUST(sigprocmask(SIG_SETMASK, &none, NULL));
    signal(SIGPIPE, SIG_DFL);
    execve(CAGED, argv, envp);
    MUST(-1);
}

/* How often the kernel has killed somebody in this container for its memory; cgroup v2, then v1; -1 where neither shows. */
static long oom_kills(void)
{
    const char *places[] = {"/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control"};
    long kills = -1;
    for (int i = 0; i < 2 && kills < 0; i++) {
        FILE *file = fopen(places[i], "re");
        char line[128];
        while (file && fgets(line, sizeof line, file))
            sscanf(line, "oom_kill %ld", &kills);
        if (file)
            fclose(file);
    }
    return kills;
}

void start(struct child *child, uid_t uid)
{
    int text[2];
    MUST(pipe2(text, O_CLOEXEC | O_NONBLOCK)); /* a flood fills the pipe and is lost: nobody waits for anybody */
    child->oom_kills = oom_kills(); /* it may be killed while the timekeeper works, too */
    MUST(child->pid = fork());
    if (child->pid == 0)
        become_caged(child, text[1], uid);
    close(text[1]);
    child->text = text[0];
}

static struct wait how_it_died(const struct child *child, const siginfo_t *info)
{
    struct wait wait = {.detail = info->si_status};
    if (info->si_code == CLD_EXITED)
        wait.end = EXITED;
    else if (info->si_status == SIGSYS)
        wait.end = FORBIDDEN;
    else if (info->si_status == SIGKILL)
        wait.end = oom_kills() > child->oom_kills ? OUT_OF_MEMORY : KILLED;
    else
        wait.end = CRASHED;
    return wait;
}

struct wait await_stop(struct child *child, int64_t limit_ns)
{
    const int64_t until = now() + limit_ns;
    sigset_t none;
    sigemptyset(&none);
    for (;;) {
        siginfo_t info = {0};
        MUST(waitid(P_PID, (id_t)child->pid, &info, WSTOPPED | WEXITED | WNOHANG));
        const int64_t at = now(); /* only now is it known that the child does not run */
        if (info.si_pid && info.si_code == CLD_STOPPED)
            return (struct wait){.end = STOPPED, .stopped_at = at};
        if (info.si_pid) {
            child->pid = 0;
            return how_it_died(child, &info);
        }
        if (at >= until) {
            end(child);
            return (struct wait){.end = OUT_OF_TIME};
        }
        const struct timespec left = {(until - at) / 1000000000, (until - at) % 1000000000};
        struct pollfd driver = {.fd = 0}; /* only whether its end is still there */
        if (ppoll(&driver, 1, &left, &none) > 0) {
            end(child);
            return (struct wait){.end = DRIVER_GONE};
        }
    }
}

void go_on(struct child *child) { MUST(kill(child->pid, SIGCONT)); }

int64_t cpu_time(const struct child *child)
{
    clockid_t clock;
    struct timespec t = {0};
    if (clock_getcpuclockid(child->pid, &clock) == 0)
        clock_gettime(clock, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

void error_text(struct child *child, char *text, size_t size)
{
    size_t have = 0;
    ssize_t got;
    while (have < size - 1 && (got = read(child->text, text + have, size - 1 - have)) > 0)
        have += (size_t)got;
    text[have] = 0;
}

void end(struct child *child)
{
    if (child->pid > 0) {
        kill(child->pid, SIGKILL);
        waitpid(child->pid, NULL, 0);
    }
    child->pid = 0;
}
