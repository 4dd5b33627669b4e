"""What a measurement costs beyond the solution's own time: a section, an execution, with its build; and docker run.

    python tests/bench/overhead.py [--executions 20]

section: what the harness's clock shows beyond the 50 ms that a toy spins for by its own clock, warm.
execution: from the driver's call to its row, less the child's sections and the build; the toy's cases take no time.
with build: the same with the build before it, less the compiler's own time, measured in the same kind of container.
docker run: compile in one fresh container and run in another, by the command line that people use, less the same times.
Needs a container engine, and a machine with a core to spare.
"""

import argparse
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from measure import show

from solvers.containers.engine import Engine
from solvers.measuring.anchors import reference
from solvers.measuring.builder import build_command
from solvers.measuring.cores import Cores
from solvers.measuring.evaluator import Evaluator
from solvers.measuring.measure import Seeds
from solvers.tasks.task import Task, read_task
from solvers.workspace.solution import Solution

TOY = Path(__file__).resolve().parent.parent / "solvers" / "toys" / "twice"
SPIN = 0.05
SPINNING = f"""#include "twice.h"
#include <time.h>
static double now(void) {{ struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + t.tv_nsec * 1e-9; }}
void twice(uint64_t *numbers, size_t count)
{{
    const double began = now();
    for (size_t i = 0; i < count; i++)
        numbers[i] *= 2;
    while (now() < began + {SPIN})
        ;
}}
"""


def sections(evaluator: Evaluator, count: int) -> list[float]:
    """Seconds beyond the spin, of warm sections of one case."""
    built = evaluator.builder.build(Solution(files={"twice.c": SPINNING.encode(), **evaluator._protected}))
    keeper, seeds = evaluator.keeper, Seeds("overhead")
    with evaluator._cores.lease() as lease:
        keeper.load(built.object, evaluator._profile, lease)
        found = [keeper.call("timed", 1, seeds.next(), 10.0).seconds - SPIN for _ in range(count + 3)][3:]
        keeper.end()
    return found


def execution(evaluator: Evaluator, solution: Solution) -> tuple[float, float]:
    """Seconds of one execution beyond the child's sections: without its build, and with it."""
    began = time.perf_counter()
    score = evaluator.evaluate(solution)
    whole = time.perf_counter() - began - sum(section.seconds for section in score.sections)
    return whole - (score.build_seconds or 0.0), whole


def timed(command: list[str]) -> float:
    began = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


def compiling(image: str, task: Task, folder: Path) -> tuple[list[str], float]:
    """A command that compiles in a fresh container, and how long the compiler alone takes in one."""
    run = ["docker", "run", "--rm", "--network", "none", "--tmpfs", "/work", "-v", f"{folder}:/mine", image, "sh", "-c"]
    script = f"cd /mine && {build_command(task.measure)} >/dev/null 2>&1"
    clocked = f"cd /mine; a=$(date +%s%N); {build_command(task.measure)} >&2; echo $(($(date +%s%N) - a))"
    ten = [int(subprocess.run([*run, clocked], check=True, capture_output=True).stdout) * 1e-9 for _ in range(10)]
    return [*run, script], statistics.median(ten)


def line(name: str, seconds: list[float], unit: float, goal: str) -> tuple[str, ...]:
    low, middle, high = (statistics.quantiles(seconds, n=20)[i] / unit for i in (0, 9, 18))
    return name, f"{middle:.3g}", f"{low:.3g}", f"{high:.3g}", goal


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--executions", type=int, default=20)
    given = asked.parse_args()
    task, cores = read_task(TOY), Cores()
    cores.keep_off()
    with Engine.connect() as engine, Evaluator(engine, task, "tiny", cores) as evaluator:
        solution = reference(task)
        evaluator.evaluate(solution)
        beyond = sections(evaluator, 40)
        both = [execution(evaluator, solution) for _ in range(given.executions)]
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            for name, content in {**solution.files, **evaluator._protected}.items():
                (folder / name).write_bytes(content)
            compile_fresh, compiler = compiling(evaluator.images[0], task, folder)
            run_fresh = ["docker", "run", "--rm", "--network", "none", evaluator.images[1], "true"]
            fresh = [(timed(compile_fresh) - compiler, timed(run_fresh)) for _ in range(given.executions)]
    rows = [
        line("section of 50 ms, us", beyond, 1e-6, "100 us = .2%"),
        line("execution without build, ms", [one for one, _ in both], 1e-3, "20 ms"),
        line("execution with build, ms", [one - compiler for _, one in both], 1e-3, "100 ms"),
        line("docker run without build, ms", [run for _, run in fresh], 1e-3, ""),
        line("docker run with build, ms", [sum(pair) for pair in fresh], 1e-3, ""),
    ]
    show(f"beyond the solution's own time; the compiler takes {compiler * 1e3:.0f} ms", HEADINGS, rows)


HEADINGS = ("", "median", "5%", "95%", "goal")

if __name__ == "__main__":
    main()
