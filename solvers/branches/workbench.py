"""What a branch gives its solver: the code to begin with, and executions, counted here, on disk before they are told.

Guarded: no more executions than the branch was given, whatever a solver does, over all lives of the branch; one that a
crash swallowed stays counted, and is not run again.
"""

import json
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from actors.errors import ErrorKind, UnitFault
from actors.model import Model
from actors.recorded import Fact
from actors.replay import Tape
from solvers.agents.solver import Hint, Over
from solvers.assignment import Assignment
from solvers.attempt import Execution, execution
from solvers.branches.facts import CLOCK, EXECUTION
from solvers.containers.engine import Engine
from solvers.measuring.score import End, Score, Seeding
from solvers.tasks.task import Task
from solvers.workspace.solution import Refused, Solution

REFUSED = "refused"  # what a fact is about where no solution could be read
Measure = Callable[[Solution | Refused], Awaitable[Score]]


@dataclass(frozen=True)
class Site:
    """Where a branch stands: the engine of its node, its user id and labels there."""

    engine: Engine
    uid: int
    labels: dict[str, str]


class Bench:
    """The workbench of one branch. measure: one execution, on the node's scale. clock: seconds of the search so far."""

    def __init__(
        self,
        task: Task,
        profile: str,
        assignment: Assignment,
        hint: Hint,
        start: Solution,
        tape: Tape,
        model: Model | None,
        site: Site,
        measure: Measure,
        allowed: int,
        deadline: float,
        clock: Callable[[], float],
        recorded: tuple[Fact, ...],
    ) -> None:
        self.task, self.profile, self.assignment, self.hint, self.start = task, profile, assignment, hint, start
        self.tape, self.model, self.deadline = tape, model, deadline
        self.engine, self.uid, self.labels = site.engine, site.uid, site.labels
        self._measure, self._allowed, self._clock = measure, allowed, clock
        self.executions: list[Execution] = []
        self.choices: dict[str, str] = {}
        self._solutions: dict[str, Solution] = {start.hash: start}
        self.tried = tuple(told(fact, assignment.branch) for fact in recorded if fact.kind == EXECUTION)

    @property
    def left(self) -> int:
        """Executions that may still be started."""
        return self._allowed - len(self.executions)

    @property
    def late(self) -> bool:
        """Whether no time is left to start one."""
        return time.monotonic() >= self.deadline

    async def evaluate(self, solution: Solution | Refused, about: str = "", choice: str = "") -> Execution:
        """See `Workbench`."""
        own = REFUSED if isinstance(solution, Refused) else solution.hash
        while self.left > 0:
            fact = self.tape.recall(EXECUTION, len(self.executions) + 1)
            if fact is None:
                return await self._fresh(solution, own, about, choice)
            row = self._enter(fact)
            if fact.about == own and not (row.verdict is End.ENGINE and fact.round < self.tape.round):
                return checked(row)
        raise Over("no execution is left")

    async def _fresh(self, solution: Solution | Refused, own: str, about: str, choice: str) -> Execution:
        if self.late:
            raise Over("no time is left")
        index = len(self.executions) + 1
        await self.tape.begin_fact(EXECUTION, index, own)
        score = await self._measure(solution)
        row = execution(score, self.assignment.branch, index, about)
        value: dict[str, Any] = {EXECUTION: row.model_dump(mode="json"), "choice": choice, CLOCK: self._clock()}
        if isinstance(solution, Solution) and own not in self._solutions:
            value["solution"] = solution.model_dump(mode="json")
        return checked(self._enter(await self.tape.keep_fact(EXECUTION, index, own, value)))

    def _enter(self, fact: Fact) -> Execution:
        row, solution = told(fact, self.assignment.branch)
        self.executions.append(row)
        if solution is not None:
            self._solutions[solution.hash] = solution
        if fact.value and fact.value["choice"] and row.solution:
            self.choices[row.solution] = fact.value["choice"]
        return row

    def recall_rest(self) -> None:
        """Count what earlier lives measured that the solver did not ask for again."""
        while (fact := self.tape.recall(EXECUTION, len(self.executions) + 1)) is not None:
            self._enter(fact)

    def solution(self, hash: str) -> Solution:
        """A solution that was evaluated here, or the start."""
        return self._solutions[hash]

    @property
    def best(self) -> Execution | None:
        """The right execution with the best score so far, the first of equals."""
        return best_of(self.executions)


def best_of(rows: Sequence[Execution]) -> Execution | None:
    """The right execution with the best score, the first of equals."""
    right = [row for row in rows if row.correct and row.score is not None]
    return max(right, key=lambda row: row.score or 0.0, default=None)


def measured(tape: Tape, branch: int) -> list[Execution]:
    """Every execution on a branch's tape, at its end: also what nobody asked for again, and what was cut off."""
    tape.give_up()
    index = 1 + max((fact.index for fact in tape.facts if fact.kind == EXECUTION), default=0)
    while tape.recall(EXECUTION, index) is not None:
        index += 1
    return [told(fact, branch)[0] for fact in tape.facts if fact.kind == EXECUTION]


def told(fact: Fact, branch: int) -> tuple[Execution, Solution | None]:
    """An execution as a fact tells it, and the solution where it was new."""
    if fact.value is None:
        lost = Execution(
            branch=branch,
            index=fact.index,
            seeding=Seeding.SEARCH,
            solution=None if fact.about == REFUSED else fact.about,
            verdict=End.LOST,
            started_at=fact.at,
        )
        return lost, None
    row = Execution.model_validate_json(json.dumps(fact.value[EXECUTION]))
    held = fact.value.get("solution")
    return row, None if held is None else Solution.model_validate(held)


def checked(row: Execution) -> Execution:
    """The execution; UnitFault where the engine failed: nothing more can be measured here now."""
    if row.verdict is End.ENGINE:
        raise UnitFault(str(row.why), ErrorKind.ENGINE)
    return row
