"""The words that a solution of a measured task has no business with, each with the reason.

The lists are short on purpose: what they do not name, most likely the harness refuses, or a reader sees. A word stands
here only if honest code has no use for it: allocation, huge pages, feature tests and abort() are not among them, and
work done at load is measured as load.
"""

import re
from functools import lru_cache

CLOCK = "reads or sets up a clock, and the time is the harness's to take"
PROCESS = "makes, asks for or steers processes or threads, and the work is for one thread on one core"
KERNEL = "goes to the kernel by itself, past the library"
FILE = "uses files or descriptors, and what it works on is in memory"
LOADER = "looks up or loads symbols while it runs, as one does who looks for the harness"
SIGNAL = "takes or sends signals, with which the harness starts and stops it"
SLEEP = "waits, which shifts work between calls and saves none"
SETTING = "reads the environment, which tells who is running it and nothing of the work"
OUTSIDE = "takes in a file from outside the solution"
HIDDEN = "hides from a reader what it names"

NAMES = {
    CLOCK: "clock_gettime clock_getres clock_settime gettimeofday timespec_get ftime getrusage rdtsc rdtscp rdpmc "
    "chrono readcyclecounter setitimer getitimer timer_create timerfd_create perf_event_open Instant SystemTime "
    "UNIX_EPOCH cntvct_el0 rdcycle",
    PROCESS: "vfork clone3 execv execve execvp execvpe execl execlp execle fexecve posix_spawn posix_spawnp popen "
    "waitpid waitid wait3 wait4 prctl sched_setaffinity sched_setscheduler setpriority getpid getppid gettid "
    "process_vm_readv process_vm_writev jthread setrlimit prlimit",
    KERNEL: "ptrace syscall sysenter seccomp userfaultfd memfd_create",
    FILE: "fopen freopen fdopen openat openat2 creat opendir fdopendir readdir getdents ifstream ofstream fstream "
    "OpenOptions tmpfile mkstemp shm_open readlink sendfile preadv pwritev ioctl fcntl ftruncate socketpair",
    LOADER: "dlopen dlmopen dlsym dlvsym dladdr dladdr1 dlinfo dl_iterate_phdr link_map r_debug",
    SIGNAL: "sigaction sigprocmask sigaltstack sigsetmask sigwait sigwaitinfo sigtimedwait sigsuspend sigqueue "
    "bsd_signal sysv_signal tgkill tkill killpg signalfd",
    SLEEP: "nanosleep clock_nanosleep usleep sched_yield thrd_sleep sleep_for sleep_until ppoll epoll_wait",
    SETTING: "getenv secure_getenv environ setenv putenv unsetenv program_invocation_name",
    HIDDEN: "redefine_extname",
}
"""Wherever they stand."""
CALLS = {
    CLOCK: "time clock times",
    PROCESS: "fork clone system",
    FILE: "open close read write pread pwrite readv writev socket",
    SIGNAL: "signal raise kill alarm",
    SLEEP: "sleep",
}
"""Common words: where they are called, and are not functions of the file itself."""
FAMILIES = {PROCESS: re.compile(r"pthread_|thrd_create"), KERNEL: re.compile(r"SYS_[a-z]|__NR_|io_uring_")}
"""By how a name begins."""
STD_C = {CLOCK: "chrono", PROCESS: "thread async", FILE: "filesystem basic_filebuf filebuf"}
STD_RUST = {PROCESS: "thread process", FILE: "fs net", SETTING: "env"}
"""Parts of `std`."""


def by_word(lists: dict[str, str]) -> dict[str, str]:
    """The reason of each word."""
    return {word: why for why, words in lists.items() for word in words.split()}


REASONS = by_word(NAMES)
CALL_REASONS = by_word(CALLS)
STDS = {"c": by_word(STD_C), "c++": by_word(STD_C), "rust": by_word(STD_RUST)}
DECORATION = re.compile(r"^_*(?:builtin_(?:ia32_)?|libc_|GI_)?")
WORD = re.compile(r"[A-Za-z_]\w*")
INTERRUPT = re.compile(r"\bint\s+\$?(?:0x80|128)\b|\bsvc\b|\becall\b")
TARGET = re.compile(r"\b(?:call|jmp|bl?)q?\s+\*?(\w+)")
BROUGHT_IN = re.compile(r"\.(?:incbin|include)\b")
ESCAPED = re.compile(r"\\[0-7xuU]")


@lru_cache(4096)
def undecorated(token: str) -> str:
    """A name without what compilers and libraries put before and after it."""
    return DECORATION.sub("", token).removesuffix("64")


@lru_cache(4096)
def reason(token: str) -> str | None:
    """Why a word should not be there wherever it stands; None where it may."""
    if why := REASONS.get(token) or REASONS.get(undecorated(token)):
        return why
    return next((why for why, begins in FAMILIES.items() if begins.match(token)), None)


def of_symbol(name: str) -> list[tuple[str, str]]:
    """A symbol that a string names, where it should not be there; with the reason."""
    why = reason(name) or CALL_REASONS.get(undecorated(name))
    return [(name, why)] if why else []


def of_assembler(text: str) -> list[tuple[str, str]]:
    """What assembler text should not say, with reasons; a label's other name is such a text too."""
    found = [(word, why) for word in WORD.findall(text) if (why := reason(word))]
    for pattern, why in ((INTERRUPT, KERNEL), (BROUGHT_IN, OUTSIDE), (ESCAPED, HIDDEN)):
        if match := pattern.search(text):
            found.append((match[0], why))
    for name in (text.strip(), *TARGET.findall(text)):
        found += of_symbol(name)
    return found
