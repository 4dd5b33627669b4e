"""Who started a container, as its label says it, and whether that process is still there.

Workers in containers share an engine, and may share a host's name, but not their pids: 12 here is another process
there. So a label says whose pids it counts in, and of pids that are not ours nothing is said.
"""

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

LABEL = "heuresis"
NEVER_STARTED = 3600.0  # seconds from making a container to starting it that no driver takes, however clocks differ
BOOT = Path("/proc/sys/kernel/random/boot_id")


def this_process() -> str:
    """Who started a container: pid, start time, since pids come again, and whose pids these are."""
    return f"{os.getpid()}:{started(os.getpid())}:{pids()}"


def pids() -> str:
    """Whose pids this process's are: the start of its kernel, and the namespace in it; empty where these are not told.

    The namespace alone would not do: the first one has the same name on every machine.
    """
    with suppress(OSError):
        return f"{BOOT.read_text().strip()}/{Path('/proc/self/ns/pid').readlink()}"
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
    if not where or where != pids() or not pid.isdigit():
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


def left_over(found: Mapping[str, Any], host: str, now: float) -> bool:
    """Whether the driver of a listed container is known to be gone.

    Of a driver on another machine, or in another container, it is known where its container never ran: it starts in
    a moment, or its driver died before. One that ran ends with its driver by itself.
    """
    if found["State"] == "created" and found["Created"] < now - NEVER_STARTED:
        return True
    labels = found["Labels"]
    return labels.get(f"{LABEL}.host") == host and not alive(labels.get(f"{LABEL}.process", ""))
