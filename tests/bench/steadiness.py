"""Whether a score can be relied on: the same solution scored again and again, with all other cores loaded.

    python tests/bench/steadiness.py [TASK] [--profile small] [--scores 10]

Loaded: a process on each housekeeping core that does nothing but copy memory. range: of the medians, over the smallest.
Goal: 5%. The same without load stands above it.
"""

import argparse
import multiprocessing
import os
import statistics

from measure import show

from solvers.containers.engine import Engine
from solvers.measuring.anchors import reference
from solvers.measuring.cores import Cores
from solvers.measuring.evaluator import Evaluator
from solvers.tasks.task import find_task

BYTES = 64 * 2**20


def copy_for_ever(core: int) -> None:
    os.sched_setaffinity(0, {core})
    one, other = bytearray(BYTES), bytearray(BYTES)
    while True:
        one[:] = other


def medians(evaluator: Evaluator, task: str, count: int) -> list[float]:
    solution = reference(find_task(task))
    scores = [evaluator.evaluate(solution) for _ in range(count)]
    return [score.metric for score in scores if score.metric is not None]


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("task", nargs="?", default="radix_sort")
    asked.add_argument("--profile", default="small")
    asked.add_argument("--scores", type=int, default=10)
    given = asked.parse_args()
    cores, found = Cores(), {}
    cores.keep_off()
    context = multiprocessing.get_context("spawn")
    loads = [context.Process(target=copy_for_ever, args=(core,), daemon=True) for core in cores.housekeeping]
    with Engine.connect() as engine, Evaluator(engine, find_task(given.task), given.profile, cores) as evaluator:
        found["quiet"] = medians(evaluator, given.task, given.scores)
        for load in loads:
            load.start()
        found["loaded"] = medians(evaluator, given.task, given.scores)
        for load in loads:
            load.terminate()
    rows = [
        (name, str(len(times)), f"{statistics.median(times):.4g}", f"{max(times) / min(times) - 1:.1%}")
        for name, times in found.items()
    ]
    show(f"{given.task}, {given.profile}: medians of one solution", ("", "scores", "seconds", "range"), rows)


if __name__ == "__main__":
    main()
