"""The machine is named as it is."""

import os
import platform
from pathlib import Path

import pytest

from solvers.measuring.node import cpu_model, load, memory_kib, node

X86 = "processor\t: 0\nmodel\t\t: 85\nmodel name\t: Maker(R) Fast 9\n\nprocessor\t: 1\nmodel name\t: Maker(R) Slow 1\n"
ARM = "processor\t: 0\nBogoMIPS\t: 50.00\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n"


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """Two physical cores, one with a hyperthread off line."""
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc" / "cpuinfo").write_text(X86)
    (tmp_path / "proc" / "meminfo").write_text("MemTotal:       16777216 kB\nMemFree:        1 kB\n")
    cpus = tmp_path / "sys" / "devices" / "system" / "cpu"
    for cpu, siblings in ((0, "0,2"), (1, "1"), (2, "0,2")):
        (cpus / f"cpu{cpu}" / "topology").mkdir(parents=True)
        (cpus / f"cpu{cpu}" / "topology" / "thread_siblings_list").write_text(siblings)
    (cpus / "cpu3").mkdir()
    (cpus / "online").write_text("0-2\n")
    (cpus / "cpu1" / "cpufreq").mkdir()
    (cpus / "cpu1" / "cpufreq" / "scaling_governor").write_text("performance\n")
    return tmp_path


def test_a_machine_in_one_row(machine: Path) -> None:
    row = node(core=1, root=machine)
    assert row.model_dump() == {
        "host": platform.node(),
        "cpu_model": "Maker(R) Fast 9",
        "governor": "performance",
        "cores": 2,
        "memory_gib": 16.0,
        "kernel": os.uname().release,
    }
    assert node(core=0, root=machine).governor is None


def test_this_machine() -> None:
    row = node()
    assert 1 <= row.cores <= (os.cpu_count() or 1)
    assert row.memory_gib == pytest.approx(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, abs=0.01)
    assert row.cpu_model
    assert 0 <= load() < 10_000


def test_processors_that_have_no_name() -> None:
    assert cpu_model(ARM) == f"{platform.machine()} implementer 0x41 part 0xd0c"
    assert cpu_model("") == platform.machine()


def test_memory_is_in_kib() -> None:
    assert memory_kib("HugePages: 1\nMemTotal:  1024 kB\n") == 1024
