/* Makes a system call that would get it further: out of its cage, to another process, to the net, to a timer that works
 * while it is stopped, to memory that outlives it, to other limits or cores. The test writes the number of the call into
 * the object: every number that there is, one after the other, and then every signal to itself. It does so in its
 * constructor, where a program would try first. Which calls are not the end of it stands here, so that none is added to
 * the cage without being added here.
 *
 * Must end: forbidden
 * But: mmap munmap mprotect mremap madvise brk read pread64 readv lseek close fstat stat newfstatat readlink readlinkat
 * But: access faccessat getcwd getdents64 write writev clock_gettime clock_getres gettimeofday time getrusage getpid
 * But: gettid getuid geteuid getgid getegid uname sysinfo getrandom getcpu sched_getaffinity sched_yield arch_prctl
 * But: rt_sigaction rt_sigprocmask rt_sigreturn sigaltstack futex set_robust_list set_tid_address rseq nanosleep
 * But: clock_nanosleep restart_syscall exit exit_group openat prlimit64 mbind get_mempolicy
 */
#include "honest.h"

#define ASK 0x7e57ab1e7e57ab1e

volatile uint64_t number = ASK;

#define CALL(name) SYS_##name,
static const int allowed[] = {ALLOWED};

__attribute__((constructor)) static void load(void)
{
    if (number == ASK) {
        for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
            dprintf(2, "%d ", allowed[i]);
        _exit(0);
    }
    if (number >> 32)
        syscall(SYS_tgkill, getpid(), gettid(), (int)number);
    else
        syscall((long)number, 0, 0, 0, 0, 0, 0);
}

void twice(uint64_t *numbers, size_t count) { honest(numbers, count); }
