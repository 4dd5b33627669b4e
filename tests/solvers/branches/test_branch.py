"""A branch that fails, hangs or is given up is an attempt with an error; its containers and user id are freed."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from workbenches import assignment, idea

from actors.budget import Caps, Earlier
from actors.desk import Desk
from actors.errors import ErrorKind, UnitFault
from actors.pool import LocalPool
from actors.recorded import Recorded
from solvers.agents.catalog import CatalogSettings
from solvers.agents.solver import Hint, Workbench
from solvers.branches import branch as module
from solvers.branches.branch import Branches
from solvers.branches.order import Order, Worked
from solvers.branches.station import start_of
from solvers.containers.engine import LABEL, Engine
from solvers.measuring.score import End
from solvers.tasks.packed import pack
from solvers.tasks.task import Task
from solvers.workspace.solution import Refused, Solution

GOOD = b"""#include "twice.h"
void twice(uint64_t *numbers, size_t count) { for (size_t i = 0; i < count; i++) numbers[i] <<= 1; }
"""
Act = Callable[[Workbench], Awaitable[None]]


class Acting:
    """A solver that does what a test says."""

    def __init__(self, act: Act) -> None:
        self._act = act

    async def solve(self, bench: Workbench) -> None:
        await self._act(bench)


class Place:
    """Branches of the toy task, in this process."""

    def __init__(self, task: Task, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.task, self._patch = task, monkeypatch
        self.unit = f"search/{folder.name}"
        self.desk = Desk(folder / "desk", ("run",), Caps(), Earlier(), time.time())
        about = (pack(task), "tiny", CatalogSettings(), None, folder / "outputs")
        self.branches = Branches(*about, 1, LocalPool(self.desk), 0.0)

    async def solve(self, act: Act, number: int = 1, **more: Any) -> Worked:
        self._patch.setattr(module, "open_solver", lambda _: Acting(act))
        given = assignment(idea()).model_copy(update={"branch": number})
        known = {"draws": "", "executions": 3, "seconds": 600.0, "clock": 0.0, "until": 3600.0, "anchors": {}} | more
        order = Order(unit=self.unit, life=0, assignment=given, hint=Hint(), start=start_of(self.task), **known)
        return await self.branches.solve(order, Recorded())


def of_unit(engine: Engine, unit: str) -> list[str]:
    there = engine.client.api.containers(all=True, filters={"label": f"{LABEL}.unit"})
    return [one["Id"] for one in there if one["Labels"][f"{LABEL}.unit"].startswith(unit)]


@pytest.fixture
async def place(engine: Engine, toy: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Place]:
    made = Place(toy, tmp_path, monkeypatch)
    yield made
    await made.desk.close()
    ends = time.monotonic() + 30  # the engine lists for a moment what it is removing
    while left := of_unit(engine, made.unit):
        assert time.monotonic() < ends, left
        await asyncio.sleep(0.1)


async def measure(bench: Workbench) -> None:
    assert (await bench.evaluate(Solution(files={"twice.c": GOOD}), "a shift")).correct


async def test_a_branch_that_hangs_is_ended_and_keeps_what_it_measured(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def hang(bench: Workbench) -> None:
        await measure(bench)
        await asyncio.Event().wait()

    description = place.task.description
    longest = description.verifier.timeout_sec + description.environment.build_timeout_sec
    monkeypatch.setattr(module, "GRACE", 1.0 - longest)
    attempt = (await place.solve(hang, seconds=5.0)).attempt
    assert (attempt.status, attempt.error_kind) == ("error", ErrorKind.OVERRUN)
    assert (attempt.success, attempt.executions) == (True, 1)


async def test_a_solver_that_cannot_go_on_is_an_error_with_what_it_measured(place: Place) -> None:
    async def fail(bench: Workbench) -> None:
        await measure(bench)
        raise UnitFault("no model", ErrorKind.CONNECTION)

    worked = await place.solve(fail)
    assert (worked.attempt.error_kind, worked.attempt.error) == ("connection", "no model")
    assert [row.verdict for row in worked.executions] == [End.RIGHT]
    assert worked.attempt.score == worked.executions[0].score


async def test_a_branch_whose_time_went_into_its_containers_says_so_and_asks_nobody(place: Place) -> None:
    async def never(bench: Workbench) -> None:
        raise AssertionError

    attempt = (await place.solve(never, seconds=0.0)).attempt
    assert (attempt.status, attempt.error_kind, attempt.executions) == ("error", ErrorKind.CLOCK, 0)
    assert attempt.error == "its time was spent before it could measure anything"


async def test_a_refused_key_ends_more_than_the_branch(place: Place) -> None:
    async def refuse(bench: Workbench) -> None:
        raise UnitFault("wrong key", ErrorKind.AUTH)

    with pytest.raises(UnitFault, match="wrong key"):
        await place.solve(refuse)


async def test_what_could_not_be_read_is_counted_and_says_why(place: Place) -> None:
    async def link(bench: Workbench) -> None:
        row = await bench.evaluate(Refused("a: a symbolic link"))
        assert (row.verdict, row.solution) == (End.REFUSED, None)

    attempt = (await place.solve(link)).attempt
    assert (attempt.success, attempt.executions, attempt.status) == (False, 1, "ok")


async def test_a_branch_that_is_given_up_in_mid_measurement_leaves_nothing(place: Place) -> None:
    begun = asyncio.Event()

    async def begin(bench: Workbench) -> None:
        begun.set()
        await measure(bench)
        await asyncio.Event().wait()  # where the machine was quicker than we

    task = asyncio.create_task(place.solve(begin))
    await begun.wait()
    await asyncio.sleep(0.05)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_branches_wait_for_their_turn_and_have_numbers_of_their_own(place: Place) -> None:
    users: list[int] = []
    under_way = 0

    async def note(bench: Workbench) -> None:
        nonlocal under_way
        under_way += 1
        assert under_way == 1
        users.append(bench.uid)
        await asyncio.sleep(0.1)
        under_way -= 1

    await asyncio.gather(place.solve(note, 1), place.solve(note, 2))
    assert len(users) == 2
    assert min(users) > 20_000
