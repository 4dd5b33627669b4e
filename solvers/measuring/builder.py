"""From sources to one shared object, in a container that sees the sources and a compiler, and nothing else.

The container stays for many builds and is made anew after one that was late, ran out of memory or broke it. Guards: no
code of the solution runs here, and no verifier, reference or other solution is in reach of ``#include`` or ``.incbin``.
"""

import hashlib
import time
from enum import StrEnum

from actors.row import Row
from actors.visible import visible
from solvers.containers.container import Cell, Container, Gone, Late
from solvers.containers.engine import Engine, EngineFault
from solvers.containers.warm import Warm
from solvers.measuring.image import HARNESS
from solvers.tasks.task import Measure
from solvers.workspace.solution import Solution, to_tar

LARGEST = 64 * 2**20  # bytes of an object
FIXED = {
    "c": "gcc -O3 -std=gnu17 -fPIC -shared -Wall -Wl,-z,now -I. {flags} -o /work/object "
    "$(find . -name '*.c' | sort) -lm",
    "c++": "g++ -O3 -std=gnu++20 -fPIC -shared -Wall -Wl,-z,now -I. {flags} -o /work/object "
    "$(find . -name '*.cpp' -o -name '*.cc' | sort) -lm",
    "rust": "rustc --edition 2021 -C opt-level=3 -C panic=abort --crate-type cdylib {flags} -o /work/object lib.rs",
}


class BuildEnd(StrEnum):
    """How a build ended."""

    BUILT = "built"
    REJECTED = "rejected"  # by the compiler
    TIME = "time"
    MEMORY = "memory"


class Built(Row):
    """A build: the object where there is one, and what the compiler said. Seconds by the driver's clock."""

    end: BuildEnd
    object: bytes = b""
    log: str = ""
    seconds: float

    @property
    def hash(self) -> str | None:
        """SHA-256 of the object."""
        return hashlib.sha256(self.object).hexdigest() if self.object else None


def build_command(measure: Measure) -> str:
    """The compiler's command line: the same for every solution of a task."""
    return FIXED[measure.language].format(flags=" ".join(measure.flags))


class Builder:
    """Builds for one branch, under its own uid."""

    def __init__(self, engine: Engine, image: str, measure: Measure, cell: Cell) -> None:
        self._measure = measure
        building = cell.model_copy(
            update={
                "image": image,
                "command": ("sh", "-c", (HARNESS / "builder.sh").read_text(), "builder", *command(measure)),
                "tmpfs": {"/work": 256, "/tmp": 256},
            }
        )
        self.warm = Warm(engine, building)

    def build(self, solution: Solution) -> Built:
        """Build; EngineFault where the engine fails, a row for everything else."""
        began = time.monotonic()
        container = self.warm.container()
        deadline = time.monotonic() + self._measure.build_sec
        try:
            built = self._ask(container, solution, deadline, began)
        except Late:
            self.close()
            return Built(end=BuildEnd.TIME, log=f"no object after {self._measure.build_sec:g} s", seconds=since(began))
        except EngineFault as fault:
            self.close()
            if not (isinstance(fault, Gone) and fault.memory):
                raise
            return Built(end=BuildEnd.MEMORY, log=str(fault), seconds=since(began))
        if built.end is BuildEnd.MEMORY:
            self.close()
        return built

    def _ask(self, container: Container, solution: Solution, deadline: float, began: float) -> Built:
        tar = to_tar(solution)
        container.send(f"{len(tar)}\n".encode() + tar, deadline)
        code, size, log_size, kills = map(int, container.line(deadline).split())
        if size > LARGEST:
            self.close()
            return Built(
                end=BuildEnd.REJECTED, log=f"an object of {size} bytes; {LARGEST} are allowed", seconds=since(began)
            )
        made = container.read(size, deadline) if code == 0 else b""
        log = visible(container.read(log_size, deadline).decode(errors="replace"))
        if kills:
            return Built(end=BuildEnd.MEMORY, log=log, seconds=since(began))
        return Built(end=BuildEnd.BUILT if made else BuildEnd.REJECTED, object=made, log=log, seconds=since(began))

    def close(self) -> None:
        """End the container."""
        self.warm.close()


def command(measure: Measure) -> tuple[str, ...]:
    """As the builder's arguments. No name has a line break in it, so names that end at one cannot become options."""
    return ("sh", "-fc", f"IFS='\n'\n{build_command(measure)}")


def since(began: float) -> float:
    """Seconds since then."""
    return time.monotonic() - began
