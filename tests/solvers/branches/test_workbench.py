"""Executions are counted by the branch: on disk before they are told, never more than allowed, never run twice."""

import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from executions import execution_row
from workbenches import assignment, idea

from actors.budget import Caps, Earlier
from actors.channel import Channel, Stopped
from actors.desk import Desk
from actors.errors import ErrorKind, UnitFault
from actors.found import Found
from actors.journal import read, unit_of
from actors.pool import LocalPool
from actors.recorded import Recorded
from actors.replay import Tape
from solvers.agents.solver import Hint, Over
from solvers.branches.workbench import Bench, Site
from solvers.measuring.score import End, Score
from solvers.tasks.task import Task
from solvers.workspace.solution import Refused, Solution

UNIT = "search/t/aim/catalog/manager/r0/abc"


def code(text: str) -> Solution:
    return Solution(files={"twice.c": text.encode()})


class Place:
    """A branch's desk and journal, over several lives."""

    def __init__(self, folder: Path, task: Task) -> None:
        self.task, self.folder, self.measured = task, folder, list[str]()
        self.desk = Desk(folder, ("run",), Caps(), Earlier(), time.time())
        self.end: End = End.RIGHT

    async def measure(self, solution: Solution | Refused) -> Score:
        assert isinstance(solution, Solution)
        self.measured.append(solution.files["twice.c"].decode())
        known = {"score": len(self.measured) / 10} if self.end is End.RIGHT else {}
        return execution_row(self.end, 1.0, solution=solution.hash, **known)

    def bench(self, allowed: int = 3, seconds: float = 60.0, round: int = 0) -> Bench:
        channel = Channel(LocalPool(self.desk), 0.0)
        recorded = self.recorded(round)
        tape = Tape.of(UNIT, "b01", recorded, channel)
        return Bench(
            task=self.task,
            profile="tiny",
            assignment=assignment(idea()),
            hint=Hint(),
            start=code("start"),
            tape=tape,
            model=None,
            site=Site(None, 20001, {}),  # type: ignore[arg-type]
            measure=self.measure,
            allowed=allowed,
            deadline=time.monotonic() + seconds,
            clock=lambda: 7.0,
            recorded=recorded.of("b01").facts,
        )

    def recorded(self, round: int = 0) -> Recorded:
        found = Found(round)
        for line, event in read(self.folder / "journal.jsonl"):
            found.take(unit_of(line)[1], event, "journal")
        return found.recorded()


@pytest.fixture
async def place(tmp_path: Path, toy: Task) -> AsyncIterator[Place]:
    made = Place(tmp_path, toy)
    yield made
    await made.desk.close()


async def test_no_more_executions_than_allowed_and_the_best_is_kept(place: Place) -> None:
    bench = place.bench(allowed=2)
    for text in "ab":
        await bench.evaluate(code(text), about=text)
    with pytest.raises(Over, match="no execution is left"):
        await bench.evaluate(code("c"))
    assert (place.measured, bench.left) == (["a", "b"], 0)
    assert [row.index for row in bench.executions] == [1, 2]
    assert bench.best == bench.executions[1]
    assert bench.solution(bench.best.solution or "") == code("b")


async def test_what_was_measured_is_told_again_and_not_measured_again(place: Place) -> None:
    first = place.bench()
    told = [await first.evaluate(code(text), text, choice="{}") for text in "ab"]
    again = place.bench()
    assert [await again.evaluate(code(text), text) for text in "ab"] == told
    assert place.measured == ["a", "b"]
    assert again.choices == {code("a").hash: "{}", code("b").hash: "{}"}
    assert (await again.evaluate(code("c"))).index == 3


async def test_an_execution_that_a_crash_swallowed_stays_counted_and_is_not_run_again(place: Place) -> None:
    bench = place.bench(allowed=2)
    await bench.tape.begin_fact("execution", 1, code("a").hash)
    again = place.bench(allowed=2)
    lost = await again.evaluate(code("a"))
    assert (lost.verdict, lost.correct, lost.solution) == (End.LOST, False, code("a").hash)
    assert (again.left, place.measured) == (1, [])


async def test_a_solver_that_goes_another_way_pays_for_what_was_measured(place: Place) -> None:
    await place.bench().evaluate(code("a"))
    other = place.bench()
    assert (await other.evaluate(code("b"))).index == 2
    assert [row.solution for row in other.executions] == [code("a").hash, code("b").hash]


async def test_what_a_solver_does_not_ask_for_again_is_counted_at_the_end(place: Place) -> None:
    await place.bench().evaluate(code("a"))
    again = place.bench()
    assert again.tried[0][1] == code("a")
    again.recall_rest()
    assert (again.left, again.best) == (2, again.executions[0])


async def test_without_time_nothing_is_begun_but_the_past_is_told(place: Place) -> None:
    told = await place.bench().evaluate(code("a"))
    late = place.bench(seconds=-1.0)
    assert await late.evaluate(code("a")) == told
    with pytest.raises(Over, match="no time"):
        await late.evaluate(code("b"))
    assert place.measured == ["a"]


async def test_a_failed_engine_ends_the_branch_and_the_next_round_goes_on_behind_it(place: Place) -> None:
    place.end = End.ENGINE
    with pytest.raises(UnitFault) as fault:
        await place.bench().evaluate(code("a"))
    assert fault.value.kind is ErrorKind.ENGINE
    with pytest.raises(UnitFault):
        await place.bench().evaluate(code("a"))
    place.end = End.RIGHT
    bench = place.bench(round=1)
    assert (await bench.evaluate(code("a"))).index == 2
    assert place.measured == ["a", "a"]


async def test_nothing_is_begun_once_the_run_is_stopped_and_what_is_under_way_comes_in(place: Place) -> None:
    bench = place.bench()
    await bench.evaluate(code("a"))
    await place.desk.stop("interrupted")
    with pytest.raises(Stopped, match="interrupted"):
        await bench.evaluate(code("b"))
    assert place.measured == ["a"]
    assert [fact.value is not None for fact in place.recorded().facts] == [True]


async def test_an_actor_that_was_given_up_begins_nothing_more_and_its_last_result_stays_lost(place: Place) -> None:
    old = place.bench()
    await old.tape.begin_fact("execution", 1, code("a").hash)
    await place.desk.drop(UNIT, 1)
    row = execution_row(End.RIGHT, 1.0, solution=code("a").hash)
    await old.tape.keep_fact("execution", 1, code("a").hash, {"execution": row.model_dump(mode="json")})
    with pytest.raises(Stopped, match="begun again"):
        await old.evaluate(code("b"))
    (fact,) = place.recorded().facts
    assert fact.value is None
    await place.desk.close()
    place.desk = Desk(place.folder, ("run",), Caps(), Earlier(), time.time())  # it died, and knows it still
    with pytest.raises(Stopped, match="begun again"):
        await place.bench().tape.begin_fact("execution", 2, "b")
