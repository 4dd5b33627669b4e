"""Whether a score can be relied on: the same solution scored again and again, with all other cores loaded.

    python tests/bench/steadiness.py [TASK] [--profile small] [--scores 10]

quiet: nothing else. hashing: a process on each housekeeping core that computes. copying: one there that copies 64 MB
again and again, and so takes memory bandwidth and the shared cache, which no lease can keep apart.
range: of the medians, over the smallest. Goal: 5% with the other cores loaded.
"""

import argparse
import hashlib
import multiprocessing
import os
import statistics
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from measure import show

from solvers.containers.engine import Engine
from solvers.measuring.anchors import reference
from solvers.measuring.cores import Cores
from solvers.measuring.evaluator import Evaluator
from solvers.tasks.task import find_task

BYTES = 64 * 2**20


def hashing(core: int) -> None:
    os.sched_setaffinity(0, {core})
    while True:
        hashlib.sha256(bytes(BYTES // 1024)).digest()


def copying(core: int) -> None:
    os.sched_setaffinity(0, {core})
    one, other = bytearray(BYTES), bytearray(BYTES)
    while True:
        one[:] = other


@contextmanager
def loaded(load: Callable[[int], None], on: Sequence[int]) -> Iterator[None]:
    context = multiprocessing.get_context("spawn")
    loads = [context.Process(target=load, args=(core,), daemon=True) for core in on]
    for one in loads:
        one.start()
    yield
    for one in loads:
        one.terminate()
        one.join()


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
    cores = Cores()
    found: dict[str, list[float]] = {}
    cores.keep_off()
    with Engine.connect() as engine, Evaluator(engine, find_task(given.task), given.profile, cores) as evaluator:
        found["quiet"] = medians(evaluator, given.task, given.scores)
        for load in (hashing, copying):
            with loaded(load, cores.housekeeping):
                found[load.__name__] = medians(evaluator, given.task, given.scores)
    rows = [
        (name, str(len(times)), f"{statistics.median(times):.4g}", f"{max(times) / min(times) - 1:.1%}")
        for name, times in found.items()
    ]
    show(f"{given.task}, {given.profile}: medians of one solution", ("", "scores", "seconds", "range"), rows)


if __name__ == "__main__":
    main()
