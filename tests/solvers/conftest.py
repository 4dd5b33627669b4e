"""A toy task, and warm evaluators for the tests that ask for an engine."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from solvers.containers.engine import Engine
from solvers.measuring.cores import Cores
from solvers.measuring.evaluator import Evaluator
from solvers.tasks.task import Task, find_task, read_task

TOYS = Path(__file__).parent / "toys"


@pytest.fixture(scope="session")
def cores() -> Cores:
    return Cores()


@pytest.fixture
def toy() -> Task:
    return read_task(TOYS / "twice")


@pytest.fixture(scope="session")
def evaluator_of(engine: Engine, cores: Cores) -> Iterator[Callable[..., Evaluator]]:
    """Warm evaluators by task and profile, one for all tests of a process."""
    made: dict[tuple[str, str], Evaluator] = {}

    def of(task: Task | str, profile: str = "small") -> Evaluator:
        read = find_task(task) if isinstance(task, str) else task
        key = (str(read.folder), profile)
        if key not in made:
            made[key] = Evaluator(engine, read, profile, cores)
        return made[key]

    yield of
    for evaluator in made.values():
        evaluator.close()
