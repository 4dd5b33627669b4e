"""Our side of the timekeeper: one object at a time, loaded and called in a warm measuring container.

What the timekeeper guards stands in harness/timekeeper.c. Here: a seed for each section, a deadline on every answer, a
container made anew after one that did not end as it should.
"""

import json
import time
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple

from solvers.containers.container import Cell
from solvers.containers.engine import Engine, EngineFault
from solvers.containers.warm import Warm
from solvers.measuring.cores import Lease
from solvers.measuring.section import Section
from solvers.tasks.task import Measure, Profile

GRACE = 120.0  # seconds for the trusted side to make and check cases, beyond the child's own limit


class Death(StrEnum):
    """How a child ended that did not come back."""

    CRASH = "crash"  # a signal
    EXIT = "exit"  # it left; while loading: it could not be loaded
    FORBIDDEN = "forbidden"  # a system call that is not allowed
    MEMORY = "memory"
    KILLED = "killed"
    TIME = "time"


class Died(Exception):
    """The child has died. ``detail`` is the signal or exit code, ``case`` where it said it was, ``text`` its stderr."""

    def __init__(self, kind: str, how: Death, detail: int, case: int, text: str) -> None:
        super().__init__(kind, how, detail, case, text)
        self.kind, self.how, self.detail, self.case, self.text = kind, how, detail, case, text

    @property
    def loading(self) -> bool:
        """Whether it died before its first section."""
        return self.kind == "load"


class Loaded(NamedTuple):
    """What is known when an object is loaded: seconds, edge cases, and how many of these are as large as timed ones."""

    seconds: float
    edges: int
    alike: int


def boot_id() -> str:
    """Which running kernel this is; containers of this machine see the same."""
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


class Timekeeper:
    """The trusted parent in its container, for one branch."""

    def __init__(self, engine: Engine, image: str, measure: Measure, cell: Cell, uid: int) -> None:
        self._measure, self._uid = measure, uid
        measuring = cell.model_copy(
            update={
                "image": image,
                "command": ("/harness/timekeeper",),
                "capabilities": ("SETUID", "SETGID", "KILL"),
                "processes": 8,
            }
        )
        self.warm = Warm(engine, measuring)

    def load(self, object: bytes, profile: Profile, lease: Lease) -> Loaded:
        """Load an object in a new child."""
        given = " ".join(f"{name}={value}" for name, value in profile.parameters.items())
        said = self._ask(
            f"load bytes={len(object)} core={lease.core} uid={self._uid} "
            f"seconds={self._measure.load_sec} cases={profile.cases} {given}",
            object,
            self._measure.load_sec,
            "load",
        )
        if said["boot"] != boot_id():
            self.close()
            raise EngineFault("the container engine runs on another machine, where no core can be leased from here")
        return Loaded(said["seconds"], said["edges"], said["alike"])

    def call(self, kind: str, cases: int, seed: str, limit: float) -> Section:
        """One section of at most ``limit`` seconds; its seed is 64 hex digits."""
        said = self._ask(f"call kind={kind} cases={cases} seconds={limit} seed={seed}", b"", limit, kind)
        return Section(
            kind=kind,
            seed=seed,
            cases=cases,
            seconds=said["seconds"],
            cpu=said["cpu"],
            right=said["right"],
            case=said.get("case"),
            why=said.get("why"),
        )

    def end(self) -> str:
        """End the child; what it wrote to stderr."""
        return str(self._ask("end", b"", 0, "end")["text"])

    def _ask(self, order: str, data: bytes, limit: float, kind: str) -> dict[str, Any]:
        """One order and its answer; Died where the child has, EngineFault where the container or the engine has."""
        container = self.warm.container()
        deadline = time.monotonic() + limit + GRACE
        try:
            container.send(order.encode() + b"\n" + data, deadline)
            said: dict[str, Any] = json.loads(container.line(deadline))
        except EngineFault:
            self.close()
            raise
        if said["said"] == "died":
            self.close()  # after an abnormal end nothing of it stays
            raise Died(kind, Death(said["how"]), said["detail"], said["case"], said["text"])
        return said

    def close(self) -> None:
        """End the container."""
        self.warm.close()
