"""Who leaves a branch leaves its evaluator at once, whatever that waits for."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from executions import execution_row

from actors.desk import Desk
from actors.pool import LocalPool, Pool
from actors.replay import Tape
from solvers.branches import hand as module
from solvers.branches.hand import Hand
from solvers.branches.station import Station
from solvers.measuring.cores import Cores, alone
from solvers.measuring.measurements import Measurements
from solvers.measuring.score import Score
from solvers.tasks.task import Task
from solvers.workspace.solution import Refused


class Waits:
    """An evaluator that waits for a core, or, once it has begun, for its own end."""

    def __init__(self, cores: Cores, still: Callable[[], None]) -> None:
        self._cores, self._still = cores, still
        self.begun, self.ended, self.closed = threading.Event(), threading.Event(), threading.Event()

    def evaluate(self, *about: Any) -> Score:
        self.begun.set()
        try:
            with self._cores.lease(still=self._still):
                assert self.closed.wait(60)
        finally:
            self.ended.set()
        return execution_row()

    def close(self) -> None:
        self.closed.set()


class Place:
    """A station without an engine."""

    def __init__(self, task: Task, folder: Path) -> None:
        self.task, self.profile, self.cores = task, "tiny", Cores(folder / "locks")
        self.made: list[Waits] = []

    @contextmanager
    def evaluator(self, labels: dict[str, str], still: Callable[[], None]) -> Iterator[tuple[Waits, Any]]:
        with alone(self.cores.folder, "building-images", still):
            self.made.append(Waits(self.cores, still))
        try:
            yield self.made[-1], SimpleNamespace()
        finally:
            self.made[-1].close()


@pytest.fixture
def place(toy: Task, tmp_path: Path) -> Place:
    return Place(toy, tmp_path)


async def measure(place: Place) -> None:
    async with Hand.taken(cast(Station, place), "u#b01") as hand:
        await hand.measure(Refused("nothing"))


async def left(task: asyncio.Task[None]) -> None:
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_branch_that_waits_for_a_core_is_left_while_others_hold_it(place: Place) -> None:
    with place.cores.lease():
        task = asyncio.create_task(measure(place))
        while not (place.made and place.made[0].begun.is_set()):
            await asyncio.sleep(0.01)
        await left(task)
        assert await asyncio.to_thread(place.made[0].ended.wait, 60)
    with place.cores.lease(patience=5):
        pass  # and it has not stayed in the queue


async def test_a_branch_that_waits_for_images_is_left_while_others_build_them(place: Place) -> None:
    before = threading.active_count()
    with alone(place.cores.folder, "building-images"):
        task = asyncio.create_task(measure(place))
        while threading.active_count() < before + 2:
            await asyncio.sleep(0.01)
        await left(task)
    assert place.made == []


async def test_calibration_ends_with_its_branch_and_frees_the_node(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "node_key", lambda *_: "key")
    monkeypatch.setattr(module, "anchors", lambda task, profile, evaluator, *_: evaluator.evaluate())

    async def calibrate() -> None:
        async with Hand.taken(cast(Station, place), "u#b01") as hand:
            await hand.calibrate("u", Tape("u"), Measurements(tmp_path / "measurements"), {}, desk)

    class Asked(LocalPool[None]):
        async def call(self, *_: Any) -> Any:
            return []  # nobody has learnt it

    desk = cast(Pool[Desk], Asked(None))
    task = asyncio.create_task(calibrate())
    while not (place.made and place.made[0].begun.is_set()):
        await asyncio.sleep(0.01)
    await left(task)
    assert place.made[0].ended.is_set()
    with alone(place.cores.folder, "calibrating-key"), place.cores.lease(patience=5):
        pass
