"""Who started a container, as its label says it, and whether that process is still there."""

import os
from contextlib import suppress
from pathlib import Path


def this_process() -> str:
    """Who started a container: pid, start time, since pids come again, and whose pids these are."""
    return f"{os.getpid()}:{started(os.getpid())}:{pids()}"


def pids() -> str:
    """The namespace that this process's pids belong to; empty where the kernel has none."""
    with suppress(OSError):
        return str(Path("/proc/self/ns/pid").readlink())
    return ""


def started(pid: int) -> str:
    """When a process was started, in the kernel's ticks; empty if there is none."""
    try:
        return (Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()[19]
    except (FileNotFoundError, ProcessLookupError):
        return ""


def alive(process: str) -> bool:
    """Whether the process that a label names may still run: what cannot be known from here counts as alive."""
    pid, start, where = (*process.split(":", 2), "", "", "")[:3]
    if where != pids() or not pid.isdigit():
        return True
    if found := started(int(pid)):
        return found == start
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # another user's, and /proc hides it
        pass
    return True
