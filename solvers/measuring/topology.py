"""Which CPUs make a physical core, and which cores are for timed sections."""

from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from actors.errors import BadInput

SYS = Path("/sys/devices/system/cpu")
EIGHT = 8  # builds of all branches share what is kept for housekeeping


class Physical(NamedTuple):
    """One physical core."""

    siblings: tuple[int, ...]
    """Its logical CPUs that are on line, lowest first; the first one names the core on this node."""
    allowed: tuple[int, ...]
    """Those that the process may run on; at least one."""


def cpu_list(text: str) -> list[int]:
    """The kernel's way to write a set of CPUs, such as 0-3,8."""
    found: list[int] = []
    for part in filter(None, text.strip().split(",")):
        first, _, last = part.partition("-")
        found.extend(range(int(first), int(last or first) + 1))
    return found


def topology(root: Path, allowed: Collection[int]) -> tuple[Physical, ...]:
    """The physical cores that a process with the affinity ``allowed`` may use, by their lowest CPU.

    ``root`` is laid out as /sys/devices/system/cpu. A CPU that it tells nothing about counts as a core of its own.
    """
    offline = {int(path.parent.name[3:]) for path in root.glob("cpu[0-9]*/online") if path.read_text().strip() == "0"}
    cores: set[tuple[int, ...]] = set()
    for cpu in set(allowed) - offline:
        file = root / f"cpu{cpu}" / "topology" / "thread_siblings_list"
        siblings = set(cpu_list(file.read_text())) if file.exists() else set()
        cores.add(tuple(sorted((siblings - offline) | {cpu})))
    return tuple(Physical(core, tuple(cpu for cpu in core if cpu in allowed)) for core in sorted(cores))


def split(cores: tuple[Physical, ...]) -> tuple[tuple[int, ...], tuple[Physical, ...]]:
    """CPUs for housekeeping, the first core and one more for each eight, and the others to time on; or the only one."""
    if not cores:
        raise BadInput("no CPU of this node is both on line and allowed to this process; look at taskset -p $$")
    kept = cores[: max(1, len(cores) // EIGHT)]
    return tuple(cpu for core in kept for cpu in core.allowed), cores[len(kept) :] or cores
