"""The end of a search: its best eligible attempt is measured again on seeds of its own, and what came of it all."""

import json
from collections.abc import Mapping

from actors.recorded import Fact
from actors.row import Row
from solvers.attempt import Attempt, Execution
from solvers.branches.crew import Crew
from solvers.branches.facts import EXECUTION
from solvers.branches.order import Check
from solvers.measuring.score import Seeding
from solvers.operators.mechanical import APART, slower
from solvers.state import State
from solvers.workspace.solution import Solution

MOST = 5  # attempts that are verified before none is the result
TRIES = 3  # measurements of one


class Verified(Row):
    """One held-out verification. passed: right, and as fast as the search had measured."""

    execution: Execution
    passed: bool


class SearchResult(Row):
    """What a search came to: a row of the table ``searches``.

    executions .. left_over: see `Shares`; started: counted ones, lost ones with them. best_*: of the attempt that
    passed the held-out verification; score: as the search measured it, held_out_score: as the verification did. All are
    None where none passed. failed_verifications: better attempts that did not. seconds: wall-clock, without the time
    between a search's lives.
    """

    executions: int
    each: int
    left_over: int
    started: int
    branches_planned: int
    branches_done: int
    iterations_done: int
    best_branch: int | None
    best_idea: str | None
    score: float | None
    held_out_score: float | None
    held_out_metric: float | None
    failed_verifications: int
    seconds: float
    ended_by: str


def candidates(state: State) -> list[Attempt]:
    """Eligible attempts, the best first, the earlier of equals."""
    found = [one for one in state.attempts if one.eligible and one.solution is not None and one.score is not None]
    return sorted(found, key=lambda one: (-(one.score or 0.0), one.branch))


async def verified(
    unit: str, life: int, state: State, solutions: Mapping[str, Solution], crew: Crew, facts: list[Fact]
) -> list[Verified]:
    """Measure the best attempts again, one after the other until one passes; each time is a row of ``executions``.

    One that is right but slower is measured again: others may have had the machine. ``facts`` takes what came of each.
    """
    done: list[Verified] = []
    for attempt in candidates(state)[:MOST]:
        for _ in range(TRIES):
            solution, index = solutions[attempt.solution or ""], len(done) + 1
            about = {"unit": unit, "life": life, "branch": attempt.branch, "index": index, "solution": solution}
            fact = crew.verified(index, solution) or await crew.verify(Check(**about, anchors=crew.anchors))
            facts.append(fact)
            assert fact.value is not None
            row = Execution.model_validate_json(json.dumps(fact.value[EXECUTION]))
            done.append(Verified(execution=row, passed=passes(state, attempt, row)))
            state.add("executions", row)
            if done[-1].passed:
                return done
            if not row.correct:
                break
    return done


def passes(state: State, attempt: Attempt, again: Execution) -> bool:
    """Whether it is right, and its time comes again; where a foreign verifier has the word, its score does."""
    own = [row for row in state.evidence[attempt.branch] if row.correct and row.solution == again.solution]
    best = min(own, key=lambda row: row.metric or 0.0)
    if again.baseline is None or (ratio := slower(again, best)) is None:
        return again.correct and (again.score or 0.0) * APART >= (attempt.score or 0.0)
    return again.correct and ratio <= APART


def search_result(state: State, checks: list[Verified], ended_by: str, seconds: float) -> SearchResult:
    """The row of the search."""
    best = next((one.execution for one in checks if one.passed), None)
    attempt = next((one for one in state.attempts if best is not None and one.branch == best.branch), None)
    counted = [row for rows in state.evidence.values() for row in rows if row.seeding is Seeding.SEARCH]
    return SearchResult(
        executions=state.shares.executions,
        each=state.shares.each,
        left_over=state.shares.left_over,
        started=len(counted),
        branches_planned=state.shares.total,
        branches_done=len(state.attempts),
        iterations_done=len(state.done),
        best_branch=attempt.branch if attempt else None,
        best_idea=attempt.idea_id if attempt else None,
        score=attempt.score if attempt else None,
        held_out_score=best.score if best else None,
        held_out_metric=best.metric if best else None,
        failed_verifications=len({one.execution.branch for one in checks} - ({best.branch} if best else set())),
        seconds=seconds,
        ended_by=ended_by,
    )
