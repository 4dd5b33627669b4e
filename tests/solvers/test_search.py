"""A whole search without an engine: branches measure a made-up landscape, everything else is real."""

import hashlib
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from executions import execution_row

from actors.budget import Caps, Earlier
from actors.channel import Channel, Stopped
from actors.desk import Desk
from actors.errors import BadInput, ErrorKind, UnitFault
from actors.found import Found
from actors.journal import read, unit_of
from actors.model import Spec
from actors.pool import LocalPool, Lost
from actors.record import Record
from actors.recorded import Fact, Recorded
from actors.replay import Tape
from solvers.agents.catalog import CatalogSettings, CatalogSolver
from solvers.agents.solver import Over
from solvers.assignment import shares
from solvers.attempt import Flag, execution
from solvers.branches.facts import END, HELD_OUT
from solvers.branches.order import Check, Order, Worked, digest_of, part_of
from solvers.branches.result import attempt_of
from solvers.branches.workbench import Bench, Site
from solvers.brief import brief_of
from solvers.measuring.score import End, Score, Seeding
from solvers.operators.audit import Auditing, Opinion
from solvers.operators.operator import Payload
from solvers.policies.aim import AimSettings
from solvers.policies.scientist_one import ScientistOneSettings
from solvers.scripted.model import RULES
from solvers.search import SearchPlan
from solvers.searches import Searches
from solvers.tasks.packed import pack
from solvers.tasks.task import find_task
from solvers.workspace.solution import Refused, Solution

UNIT = "search/radix_sort/aim/catalog/manager/r0/abc"
TASK = find_task("radix_sort")
MANAGER = Spec(name="manager", kind="scripted", family="scripted")


def score_of(solution: Solution) -> float:
    """A made-up landscape: a number from 0 to 1 that hangs on the code alone."""
    return int(solution.hash[:6], 16) / 16**6


class MadeUp:
    """Stands for the pool of branches: what `Branches` does, on the landscape. lose: by branch, how often."""

    def __init__(self, desk: Desk) -> None:
        self.channel = Channel(LocalPool(desk), 0.0)
        self.measured: list[str] = []
        self.lose: dict[int, int] = {}
        self.after = 0
        self.no_engine: set[int] = set()
        self.late: set[int] = set()
        self.slow_again, self.slow = 1.0, 0
        self.orders: list[Order] = []

    async def call(self, method: Any, route: int | None, *args: Any) -> Any:
        return await getattr(self, method.__name__)(*args)

    async def solve(self, order: Order, recorded: Recorded) -> Worked:
        self.orders.append(order)
        branch = order.assignment.branch
        tape = Tape.of(order.unit, part_of(branch), recorded, self.channel, order.life)
        bench, fault = self.bench(order, tape, recorded), None
        try:
            if branch in self.late:
                raise UnitFault("late", ErrorKind.CLOCK)
            await CatalogSolver(CatalogSettings()).solve(bench)
        except Over:
            pass
        except UnitFault as error:
            fault = error
        attempt = attempt_of(order, tape, fault, 1.0)
        value = {"attempt": attempt.model_dump(mode="json"), "title": "", "clock": order.clock + 1.0}
        await tape.keep_fact(END, tape.round, digest_of(order.assignment), value)
        return Worked(facts=tuple(tape.facts), calls=())

    def bench(self, order: Order, tape: Tape, recorded: Recorded) -> Bench:
        branch = order.assignment.branch

        async def measure(solution: Solution | Refused) -> Score:
            assert isinstance(solution, Solution)
            if branch in self.no_engine:
                return execution_row(End.ENGINE, solution=solution.hash, why="it went away")
            if self.lose.get(branch, 0) > 0 and len(bench.executions) >= self.after:
                self.lose[branch] -= 1
                raise Lost("its node died")
            self.measured.append(solution.hash)
            score = score_of(solution)
            known = {"solution": solution.hash, "score": score, "score_local": score, "spread": 0.0}
            known |= {"baseline_local": 2.0, "reference_local": 1.5}
            return execution_row(End.RIGHT, 2.0 - score, **known)

        bench = Bench(
            task=TASK,
            profile="small",
            assignment=order.assignment,
            hint=order.hint,
            start=order.start,
            tape=tape,
            model=None,
            site=Site(None, 20001, {}),  # type: ignore[arg-type]
            measure=measure,
            allowed=order.executions,
            deadline=time.monotonic() + 60,
            clock=lambda: order.clock + 1.0,
            recorded=recorded.of(part_of(branch)).facts,
        )
        return bench

    async def verify(self, check: Check, recorded: Recorded) -> Fact:
        tape = Tape.of(check.unit, HELD_OUT, recorded, self.channel)
        score = score_of(check.solution)
        again = self.slow_again if check.index <= self.slow else 1.0
        known = {"solution": check.solution.hash, "score": score, "seeding": Seeding.HELD_OUT, "spread": 0.0}
        known |= {"baseline_local": 2.0, "reference_local": 1.5}
        row = execution(execution_row(End.RIGHT, (2.0 - score) * again, **known), check.branch, check.index, "")
        await tape.begin_fact(HELD_OUT, check.index, check.solution.hash)
        value = {"execution": row.model_dump(mode="json")}
        return await tape.keep_fact(HELD_OUT, check.index, check.solution.hash, value)


class Place:
    """A search over several lives, on one journal."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.desk = Desk(folder, ("run",), Caps(), Earlier(), time.time())
        self.pool = MadeUp(self.desk)
        self.searches = Searches(MANAGER, pack(TASK), self.pool, LocalPool(self.desk), 0.0)  # type: ignore[arg-type]

    def plan(self, executions: int = 24, branches: int = 3, iterations: int = 2, **more: Any) -> SearchPlan:
        known: dict[str, Any] = {"clock": 3600.0, "branch_seconds": 600.0, "audit": True, "seed": 3}
        known |= {"policy": AimSettings()} | more
        budget = shares(executions, branches, iterations)
        return SearchPlan(unit=UNIT, brief=brief_of(TASK, True, True), shares=budget, **known)

    def recorded(self, round: int = 0) -> Recorded:
        found = Found(round)
        for line, event in read(self.folder / "journal.jsonl"):
            found.take(unit_of(line)[1], event, "journal")
        return found.recorded()

    async def play(self, recorded: Recorded | None = None, life: int = 0, **more: Any) -> Record:
        return await self.searches.play(self.plan(**more), recorded or Recorded(), life)


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Place]:
    made = Place(tmp_path)
    yield made
    await made.desk.close()


def digest(record: Record) -> str:
    """Rows without their times."""
    rows = {
        name: [{key: value for key, value in row.items() if key not in ("seconds", "started_at")} for row in of]
        for name, of in record.rows.items()
    }
    return hashlib.sha256(repr(sorted(rows.items())).encode()).hexdigest()


async def test_a_search_keeps_to_its_budget_and_its_result_is_the_best_that_it_measured(place: Place) -> None:
    record = await place.play()
    (search,) = record.rows["searches"]
    counted = [row for row in record.rows["executions"] if row["seeding"] == "search"]
    assert record.status == "ok"
    assert search["started"] == len(counted) == len(place.pool.measured) <= 24
    assert max(row["index"] for row in counted) <= 4
    assert [row["branch"] for row in record.rows["attempts"]] == [1, 2, 3, 4, 5, 6]
    assert search["score"] == max(row["score"] for row in counted)
    assert (search["ended_by"], search["failed_verifications"]) == ("branches", 0)
    known = {row["solution"] for row in record.rows["solutions"]}
    assert {row["solution"] for row in counted} <= known


async def test_the_same_search_again_asks_and_measures_nothing_and_comes_to_the_same(place: Place) -> None:
    first = await place.play()
    measured, calls = len(place.pool.measured), len(first.calls)
    again = await place.play(place.recorded())
    assert len(place.pool.measured) == measured
    assert digest(again) == digest(first)
    assert len(again.calls) == calls
    assert all(call.used for call in again.calls)


@pytest.mark.parametrize("events", [3, 9, 20, 40, 60, 75])
async def test_a_search_that_was_cut_off_goes_on_to_the_same_end(place: Place, tmp_path: Path, events: int) -> None:
    """The journal ends anywhere; what was begun and has no result is lost, and everything else is as it was."""
    whole = await place.play()
    lines = (place.folder / "journal.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "cut").mkdir()
    (tmp_path / "cut" / "journal.jsonl").write_bytes(b"".join(lines[:events]))
    cut = Place(tmp_path / "cut")
    record = await cut.play(cut.recorded())
    await cut.desk.close()
    counted = [row for row in record.rows["executions"] if row["seeding"] == "search"]
    lost = [row for row in counted if row["verdict"] == "lost"]
    assert record.status == "ok"
    assert len(counted) <= 24
    assert len(lost) <= 3
    if not lost:
        assert digest(record) == digest(whole)


async def test_a_branch_that_loses_its_actor_goes_on_and_pays_for_what_was_lost(place: Place) -> None:
    place.pool.lose = {2: 1}
    record = await place.play()
    own = [row["verdict"] for row in record.rows["executions"] if row["branch"] == 2 and row["seeding"] == "search"]
    assert own[0] == "lost"
    assert set(own[1:]) == {"right"}
    assert len(own) <= 4
    assert record.rows["attempts"][1]["status"] == "ok"


async def test_a_branch_whose_actors_keep_dying_is_a_row_and_the_search_goes_on(place: Place) -> None:
    place.pool.lose = {2: 99}
    record = await place.play()
    own = record.rows["attempts"][1]
    assert (own["status"], own["error_kind"], own["success"]) == ("error", "lost", False)
    assert own["executions"] == 3
    assert len(record.rows["attempts"]) == 6
    again = await place.play(place.recorded())
    assert digest(again) == digest(record)


async def test_what_a_branch_measured_before_its_actors_died_counts(place: Place) -> None:
    place.pool.lose, place.pool.after = {2: 99}, 1
    record = await place.play()
    own = record.rows["attempts"][1]
    rows = [row for row in record.rows["executions"] if row["branch"] == 2 and row["seeding"] == "search"]
    assert [row["verdict"] for row in rows] == ["right", "lost", "lost", "lost"]
    assert (own["error_kind"], own["success"], own["score"]) == ("lost", True, rows[0]["score"])
    assert digest(await place.play(place.recorded())) == digest(record)


async def test_without_any_engine_the_search_stops_and_goes_on_in_the_next_round(place: Place) -> None:
    place.pool.no_engine = {1, 2, 3}
    failed = await place.play()
    assert (failed.status, failed.error_kind) == ("error", ErrorKind.ENGINE)
    place.pool.no_engine = set()
    recorded = Recorded(round=1, calls=tuple(failed.calls), facts=tuple(failed.facts))
    record = await place.play(recorded)
    assert record.status == "ok"
    first = [row["verdict"] for row in record.rows["executions"] if row["branch"] == 1 and row["seeding"] == "search"]
    assert first[0] == "engine", "it was counted as it began"
    assert "right" in first
    assert len(first) <= 4


async def test_a_result_whose_time_does_not_come_again_is_passed_over(place: Place) -> None:
    place.pool.slow_again, place.pool.slow = 2.0, 3
    record = await place.play()
    (search,) = record.rows["searches"]
    scores = sorted((row["score"] for row in record.rows["attempts"] if row["score"]), reverse=True)
    assert search["failed_verifications"] == 1
    assert search["score"] == scores[1]


async def test_a_result_is_measured_again_where_others_may_have_had_the_machine(place: Place) -> None:
    place.pool.slow_again, place.pool.slow = 2.0, 1
    record = await place.play()
    (search,) = record.rows["searches"]
    assert search["failed_verifications"] == 0
    assert len([row for row in record.rows["executions"] if row["seeding"] == "held_out"]) == 2


async def test_a_branch_that_an_outage_ended_stays_as_it_is_once_others_hang_on_it(place: Place) -> None:
    place.pool.no_engine = {1}
    first = await place.play()
    assert first.rows["attempts"][0]["error_kind"] == "engine"
    place.pool.no_engine = set()
    recorded = Recorded(round=1, calls=tuple(first.calls), facts=tuple(first.facts))
    assert digest(await place.play(recorded)) == digest(first)


async def test_a_branch_that_had_no_time_to_measure_is_not_judged(place: Place) -> None:
    place.pool.late = {5}
    record = await place.play()
    late = record.rows["attempts"][4]
    assert (late["status"], late["error_kind"], late["role"], late["audit_flags"]) == ("error", "clock", "attempt", [])
    assert {row["branch"] for row in record.rows["audits"]} == {1, 2, 3, 4, 6}
    assert digest(await place.play(place.recorded())) == digest(record)


async def test_a_search_of_another_version_is_refused(place: Place) -> None:
    first = await place.play()
    facts = [fact.model_copy(update={"about": "x"}) if fact.kind == END else fact for fact in first.facts]
    with pytest.raises(BadInput, match="force=true begins that search anew"):
        await place.play(Recorded(calls=tuple(first.calls), facts=tuple(facts)))


async def test_a_search_whose_clock_is_spent_is_done(place: Place) -> None:
    record = await place.play(clock=1e-9)
    (search,) = record.rows["searches"]
    assert record.status == "ok"
    assert (search["ended_by"], search["branches_done"], search["score"]) == ("clock", 0, None)
    again = await place.play(place.recorded(), clock=3600.0)
    assert again.rows["searches"][0]["ended_by"] == "branches", "a longer clock goes on"


async def test_a_stopped_run_leaves_the_search_open(place: Place) -> None:
    await place.desk.stop("interrupted")
    with pytest.raises(Stopped, match="interrupted"):
        await place.play()


async def test_children_begin_with_their_parents_code_and_know_its_score(place: Place) -> None:
    await place.play()
    children = [order for order in place.pool.orders if order.assignment.parents]
    assert children
    for order in children:
        assert score_of(order.start) == order.hint.parent_score


async def test_versions_of_an_idea_measure_no_code_twice_and_come_again_as_they_were(place: Place) -> None:
    budget: dict[str, Any] = {"policy": ScientistOneSettings(keep=1), "executions": 48, "branches": 3, "iterations": 4}
    record = await place.play(**budget)
    improved = [row for row in record.rows["assignments"] if row["operator"] == "improve"]
    assert len(improved) == 6
    assert len(set(place.pool.measured)) == len(place.pool.measured)
    assert {order.hint.share for order in place.pool.orders} == {(0, 1), (0, 2), (1, 2)}
    assert sum(row["executions"] for row in record.rows["attempts"] if row["iteration"] > 1) > 12, "versions go on"
    assert digest(await place.play(place.recorded(), **budget)) == digest(record)


async def test_searches_of_one_seed_draw_alike_as_far_as_they_go_alike(place: Place, tmp_path: Path) -> None:
    """Two that differ in a setting have other units, and begin with the same pool in the same clusters."""

    async def pool(name: str, **more: Any) -> list[Any]:
        own = Place(tmp_path / name)
        plan = own.plan().model_copy(update={"unit": f"{UNIT}/{name}", **more})
        record = await own.searches.play(plan, Recorded(), 0)
        await own.desk.close()
        assert {order.draws for order in own.pool.orders} == {plan.draws}
        return [row for row in record.rows["ideas"] if row["iteration"] == 0] + record.rows["clusters"][:2]

    first = await pool("first")
    assert await pool("paired", policy=AimSettings(actions=False)) == first
    assert await pool("unpaired", seed=4) != first


@pytest.mark.parametrize("auditing", Auditing)
async def test_what_audits_find_counts_or_is_only_kept_or_is_not_looked_for(
    place: Place, monkeypatch: pytest.MonkeyPatch, auditing: Auditing
) -> None:
    def audit(payload: Payload, seed: int) -> Opinion:
        flags = (Flag.REWARD_HACKING,) if payload["attempt"]["branch"] == 1 else ()
        return Opinion(flags=flags, confidence=1.0, reasoning="so it is")

    monkeypatch.setitem(RULES, "audit", audit)
    record = await place.play(audit=auditing)
    first = record.rows["attempts"][0]
    found = {
        Auditing.ENFORCE: ("discarded", ["reward_hacking"], False, True),
        Auditing.RECORD: ("attempt", ["reward_hacking"], True, True),
        Auditing.SKIP: ("attempt", [], True, False),
    }
    taught = {lesson["context_idea"] for lesson in record.rows["lessons"]}
    said = (first["role"], first["audit_flags"], first["idea_id"] in taught, "audits" in record.rows)
    assert said == found[auditing]


async def test_an_idea_that_is_another_one_keeps_its_score_where_audits_are_only_kept(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = RULES["audit"]

    def audit(payload: Payload, seed: int) -> Any:
        return own({**payload, "idea": payload["idea"] | {"techniques": ["none such"]}}, seed)

    monkeypatch.setitem(RULES, "audit", audit)
    record = await place.play(audit=Auditing.RECORD)
    flagged = [one for one in record.rows["attempts"] if one["audit_flags"] == ["idea_mismatch"]]
    assert flagged
    assert all((one["role"], one["idea_id"]) == ("attempt", one["assigned_idea_id"]) for one in flagged)
    assert {one["phase"] for one in record.rows["audits"]} == {"before"}
