/* The cage: which system calls the child may make from before the solution is loaded until its end.
 *
 * Guards: new processes and threads, signals to anybody but itself, tracing, files made or opened for writing, sockets,
 * exec, userfaultfd, memfd, timers, affinity and limits. What is not listed kills the child (SIGSYS), and so do calls of
 * another architecture (32 bit, x32).
 * Does not guard: how long it runs and how much memory it takes (the timekeeper and the container do), what it reads in
 * the image (nothing there is secret), and holes of the kernel behind the calls that are allowed.
 */
#ifndef HEURESIS_CAGE_H
#define HEURESIS_CAGE_H

#include <errno.h>
#include <fcntl.h>
#include <seccomp.h>
#include <signal.h>
#include <unistd.h>

/* A row for each need. Names that an architecture does not have are passed over. */
static const int allowed[] = {
    SCMP_SYS(mmap), SCMP_SYS(munmap), SCMP_SYS(mprotect), SCMP_SYS(mremap), SCMP_SYS(madvise), SCMP_SYS(brk),
    SCMP_SYS(read), SCMP_SYS(pread64), SCMP_SYS(readv), SCMP_SYS(lseek), SCMP_SYS(close), /* the loader's search */
    SCMP_SYS(fstat), SCMP_SYS(stat), SCMP_SYS(newfstatat), SCMP_SYS(readlink), SCMP_SYS(readlinkat),
    SCMP_SYS(access), SCMP_SYS(faccessat), SCMP_SYS(getcwd), SCMP_SYS(getdents64),
    SCMP_SYS(write), SCMP_SYS(writev), /* error texts; nothing but their pipe is open for writing */
    SCMP_SYS(clock_gettime), SCMP_SYS(clock_getres), SCMP_SYS(gettimeofday), SCMP_SYS(time), SCMP_SYS(getrusage),
    SCMP_SYS(getpid), SCMP_SYS(gettid), SCMP_SYS(getuid), SCMP_SYS(geteuid), SCMP_SYS(getgid), SCMP_SYS(getegid),
    SCMP_SYS(uname), SCMP_SYS(sysinfo), SCMP_SYS(getrandom), SCMP_SYS(getcpu), SCMP_SYS(sched_getaffinity),
    SCMP_SYS(sched_yield), SCMP_SYS(arch_prctl),
    SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn), SCMP_SYS(sigaltstack),
    SCMP_SYS(futex), SCMP_SYS(set_robust_list), SCMP_SYS(set_tid_address), SCMP_SYS(rseq),
    SCMP_SYS(nanosleep), SCMP_SYS(clock_nanosleep), SCMP_SYS(restart_syscall), SCMP_SYS(exit), SCMP_SYS(exit_group),
};

/* An open for reading has none of these bits. (O_TMPFILE needs one of the first two.) */
#define WRITES (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND)

static int allow_itself(scmp_filter_ctx cage)
{
    const scmp_datum_t self = (scmp_datum_t)getpid();
    const int to[] = {SIGSTOP, SIGABRT}; /* a section's end; a failed assertion */
    int failed = 0;
    for (int i = 0; i < 2; i++)
        failed |= seccomp_rule_add(cage, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 2, SCMP_A0(SCMP_CMP_EQ, self),
                                   SCMP_A2(SCMP_CMP_EQ, (scmp_datum_t)to[i]));
    return failed;
}

/* Put this process into the cage for good. 0 if that was done. */
static int enter_cage(void)
{
    scmp_filter_ctx cage = seccomp_init(SCMP_ACT_KILL_PROCESS);
    if (!cage)
        return -1;
    int failed = allow_itself(cage);
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
        if (allowed[i] >= 0)
            failed |= seccomp_rule_add(cage, SCMP_ACT_ALLOW, allowed[i], 0);
    /* opening for writing is refused rather than fatal, since libraries try such things */
    failed |= seccomp_rule_add(cage, SCMP_ACT_ALLOW, SCMP_SYS(openat), 1, SCMP_A2(SCMP_CMP_MASKED_EQ, WRITES, 0));
    for (int bit = 0; bit < 32; bit++)
        if (WRITES >> bit & 1)
            failed |= seccomp_rule_add(cage, SCMP_ACT_ERRNO(EACCES), SCMP_SYS(openat), 1,
                                       SCMP_A2(SCMP_CMP_MASKED_EQ, 1U << bit, 1U << bit));
    /* where its own memory lies: libraries ask, and do without */
    failed |= seccomp_rule_add(cage, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(mbind), 0);
    failed |= seccomp_rule_add(cage, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(get_mempolicy), 0);
    /* asking for its own limits, not setting any */
    failed |= seccomp_rule_add(cage, SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), 1, SCMP_A2(SCMP_CMP_EQ, 0));
    failed |= seccomp_load(cage); /* sets no_new_privs, too */
    seccomp_release(cage);
    return failed;
}

#endif
