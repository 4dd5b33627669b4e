/* The cage: which system calls the child may make from before the solution is loaded until its end.
 *
 * Guards: new processes and threads, signals to anybody but itself, tracing, files made or opened for writing, sockets,
 * exec, userfaultfd, memfd, timers, affinity and limits. What is not listed kills the child (SIGSYS).
 * Does not guard: how long it runs and how much memory it takes (the timekeeper and the container do), what it reads in
 * the image (nothing there is secret), and holes of the kernel behind the calls that are allowed.
 */
#ifndef HEURESIS_CAGE_H
#define HEURESIS_CAGE_H

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define THIS_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define THIS_ARCH AUDIT_ARCH_AARCH64
#else
#error "the cage knows x86-64 and arm64"
#endif

/* One row a need; the x86-64 ones that arm64 never had stand last. */
static const int allowed[] = {
    __NR_mmap, __NR_munmap, __NR_mprotect, __NR_mremap, __NR_madvise, __NR_brk,                /* malloc, the loader */
    __NR_read, __NR_pread64, __NR_readv, __NR_lseek, __NR_close, __NR_fstat, __NR_newfstatat,  /* the loader's search */
    __NR_readlinkat, __NR_faccessat, __NR_getcwd, __NR_getdents64,
    __NR_write, __NR_writev,                                                     /* error texts; it has one pipe open */
    __NR_clock_gettime, __NR_clock_getres, __NR_gettimeofday, __NR_getrusage,    /* a clock that is not the one that counts */
    __NR_getpid, __NR_gettid, __NR_getuid, __NR_geteuid, __NR_getgid, __NR_getegid,
    __NR_uname, __NR_sysinfo, __NR_getrandom, __NR_sched_getaffinity, __NR_getcpu, __NR_sched_yield,
    __NR_rt_sigaction, __NR_rt_sigprocmask, __NR_rt_sigreturn, __NR_sigaltstack, /* its own handlers */
    __NR_futex, __NR_set_robust_list, __NR_set_tid_address, __NR_rseq,           /* locks of a single thread */
    __NR_nanosleep, __NR_clock_nanosleep, __NR_restart_syscall, __NR_exit, __NR_exit_group,
#ifdef __x86_64__
    __NR_access, __NR_readlink, __NR_stat, __NR_arch_prctl, __NR_time,
#endif
};

/* An open for reading has none of these bits. (O_TMPFILE needs one of the first two.) */
#define WRITES (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND)

enum { CALLS = sizeof allowed / sizeof *allowed };

/* Put this process into the cage for good. 0, or -1 with errno. The low halves of arguments are what is looked at: the
 * kernel takes these arguments as ints, too. */
static int enter_cage(void)
{
    struct sock_filter rule[CALLS * 2 + 24];
    size_t n = 0;
#define PUT(...) (rule[n++] = (struct sock_filter)__VA_ARGS__)
#define LOAD(field) LOAD_AT(offsetof(struct seccomp_data, field))
#define LOAD_AT(offset) PUT(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset))
#define IF(test, value, yes, no) PUT(BPF_JUMP(BPF_JMP | test | BPF_K, (uint32_t)(value), yes, no))
#define END(what) PUT(BPF_STMT(BPF_RET | BPF_K, what))
    LOAD(arch);
    IF(BPF_JEQ, THIS_ARCH, 1, 0);
    END(SECCOMP_RET_KILL_PROCESS); /* 32-bit calls have other numbers; x32 ones are not in the list */
    LOAD(nr);
    for (size_t i = 0; i < CALLS; i++) {
        IF(BPF_JEQ, allowed[i], 0, 1);
        END(SECCOMP_RET_ALLOW);
    }
    IF(BPF_JEQ, __NR_openat, 0, 4); /* reading is allowed, writing refused: libraries try such things */
    LOAD(args[2]);
    IF(BPF_JSET, WRITES, 0, 1);
    END(SECCOMP_RET_ERRNO | EACCES);
    END(SECCOMP_RET_ALLOW);
    IF(BPF_JEQ, __NR_prlimit64, 0, 6); /* asking for its own limits, not setting any: the new ones are NULL */
    LOAD(args[2]);
    IF(BPF_JEQ, 0, 0, 3);
    LOAD_AT(offsetof(struct seccomp_data, args[2]) + 4);
    IF(BPF_JEQ, 0, 0, 1);
    END(SECCOMP_RET_ALLOW);
    END(SECCOMP_RET_KILL_PROCESS);
    IF(BPF_JEQ, __NR_tgkill, 0, 5); /* to itself, and only to stop (a section's end) or to abort (a failed assertion) */
    LOAD(args[0]);
    IF(BPF_JEQ, getpid(), 0, 3);
    LOAD(args[2]);
    IF(BPF_JEQ, SIGSTOP, 1, 0);
    IF(BPF_JEQ, SIGABRT, 0, 1);
    END(SECCOMP_RET_ALLOW);
    END(SECCOMP_RET_KILL_PROCESS);
    struct sock_fprog program = {.len = (unsigned short)n, .filter = rule};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        return -1;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

#endif
