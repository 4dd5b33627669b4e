"""What a measurement says of the machine it was made on."""

import os
import platform
from pathlib import Path

from actors.row import Row
from solvers.measuring.topology import cpu_list, topology

NAMED_BY = ("model name", "cpu model", "Hardware", "Processor")
"""Keys of /proc/cpuinfo that name the processor, on one architecture or another."""


class Node(Row):
    """A machine. Two rows that are equal say nothing against comparing times; they don't prove that one may."""

    host: str
    cpu_model: str
    governor: str | None
    """How the kernel chooses the clock rate of the core that was asked for; None where it does not say (most VMs)."""
    cores: int
    """Physical cores on line."""
    memory_gib: float
    kernel: str


def node(core: int = 0, root: Path = Path("/")) -> Node:
    """The machine we are on, as seen from logical CPU ``core``; ``root`` holds its proc and sys."""
    cpus = root / "sys" / "devices" / "system" / "cpu"
    scaling = cpus / f"cpu{core}" / "cpufreq" / "scaling_governor"
    return Node(
        host=platform.node(),
        cpu_model=cpu_model((root / "proc" / "cpuinfo").read_text()),
        governor=scaling.read_text().strip() if scaling.exists() else None,
        cores=len(topology(cpus, cpu_list((cpus / "online").read_text()))),
        memory_gib=round(memory_kib((root / "proc" / "meminfo").read_text()) / 2**20, 2),
        kernel=platform.release(),
    )


def load() -> float:
    """How many processes wanted a CPU, averaged by the kernel over about the last minute."""
    return os.getloadavg()[0]


def cpu_model(cpuinfo: str) -> str:
    """The first processor's name, or its maker's and its own number (arm64), or the architecture."""
    said = {
        key.strip(): value.strip() for key, _, value in (line.partition(":") for line in reversed(cpuinfo.splitlines()))
    }
    for key in NAMED_BY:
        if said.get(key):
            return said[key]
    if "CPU part" in said:
        return f"{platform.machine()} implementer {said.get('CPU implementer', '?')} part {said['CPU part']}"
    return platform.machine()


def memory_kib(meminfo: str) -> int:
    """All memory that the kernel manages, in KiB."""
    return next(int(line.split()[1]) for line in meminfo.splitlines() if line.startswith("MemTotal:"))
