"""An engine for the tests that need one: skipped where none answers, failed where HEURESIS_REQUIRE_ENGINE is set."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from actors.errors import BadInput
from solvers.cores import Cores
from solvers.engine import Engine
from solvers.evaluator import Evaluator
from solvers.task import Task, find_task, read_task

TOYS = Path(__file__).parent / "toys"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whatever asks for the engine is an engine test."""
    for item in items:
        if "engine" in getattr(item, "fixturenames", ()):
            item.add_marker("engine")


@pytest.fixture(scope="session")
def engine() -> Iterator[Engine]:
    try:
        with Engine.connect() as connected:
            yield connected
    except BadInput as error:
        if os.environ.get("HEURESIS_REQUIRE_ENGINE"):
            pytest.fail(str(error))
        pytest.skip(str(error))


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
