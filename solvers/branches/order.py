"""What a branch is sent, and what it sends back."""

import hashlib
import json
from collections.abc import Iterable
from functools import cached_property
from typing import Any

from actors.errors import OUTAGES
from actors.recorded import Call, Fact
from actors.row import Row
from solvers.agents.solver import Hint
from solvers.assignment import Assignment
from solvers.attempt import Attempt, Execution
from solvers.branches.facts import ANCHORS, END, EXECUTION
from solvers.branches.workbench import told
from solvers.workspace.solution import Content, Solution


def part_of(branch: int) -> str:
    """The part of a search that a branch is."""
    return f"b{branch:02d}"


class Order(Row):
    """One branch's work. unit, life: the search's. executions: how many it may start. seconds: its wall-clock.

    draws: what its sampling seeds hang on. start: the code to begin with. anchors: (B, R) by node, as this search has
    measured them so far, since it keeps to one scale a node. clock, until: seconds of the search when this was ordered,
    and when the search's time is over.
    """

    unit: str
    life: int
    draws: str
    assignment: Assignment
    hint: Hint
    start: Solution
    executions: int
    seconds: float
    clock: float
    until: float
    anchors: dict[str, tuple[float, float]]


class Check(Row):
    """A held-out verification of a branch's solution. index: from 1, of this search's."""

    unit: str
    life: int
    branch: int
    index: int
    solution: Solution
    anchors: dict[str, tuple[float, float]]


class Kept(Row):
    """A solution as a row of the table ``solutions``. choice: a catalogue's, as JSON; None where there is none."""

    solution: str
    files: dict[str, Content]
    choice: str | None = None


class Worked(Row):
    """What a branch leaves, as it stands in the journal: its facts, the last of which is its end, and its calls."""

    facts: tuple[Fact, ...]
    calls: tuple[Call, ...]

    @cached_property
    def attempt(self) -> Attempt:
        """How it ended."""
        return Attempt.model_validate_json(json.dumps(self._end["attempt"]))

    @property
    def _end(self) -> dict[str, Any]:
        assert self._last.value is not None
        return self._last.value

    @property
    def _last(self) -> Fact:
        return next(fact for fact in reversed(self.facts) if fact.kind == END and fact.value is not None)

    @property
    def given(self) -> str:
        """`digest_of` what it was given."""
        return self._last.about

    @cached_property
    def executions(self) -> list[Execution]:
        """Every execution that was counted."""
        return [told(fact, self.attempt.branch)[0] for fact in self.facts if fact.kind == EXECUTION]

    @cached_property
    def solutions(self) -> dict[str, Solution]:
        """What it measured, by hash."""
        found = (told(fact, self.attempt.branch)[1] for fact in self.facts if fact.kind == EXECUTION)
        return {solution.hash: solution for solution in found if solution is not None}

    @property
    def choices(self) -> dict[str, str]:
        """The catalogue's choice, as JSON, of the solutions that have one."""
        values = [(fact.about, fact.value) for fact in self.facts if fact.kind == EXECUTION and fact.value]
        return {about: value["choice"] for about, value in values if value["choice"]}

    @property
    def anchors(self) -> dict[str, tuple[float, float]]:
        """(B, R) of the node that it ran on, by node."""
        values = [(fact.about, fact.value) for fact in self.facts if fact.kind == ANCHORS and fact.value]
        return {about: (value["baseline"], value["reference"]) for about, value in values}


def ended(facts: Iterable[Fact], round: int, final: bool) -> bool:
    """Whether a branch with these facts has ended. final: later iterations hang on how it did.

    Otherwise one that an outage ended goes on in the next round.
    """
    ends = [fact for fact in facts if fact.kind == END and fact.value is not None]
    return any(
        final or fact.round == round or fact.value["attempt"]["error_kind"] not in OUTAGES
        for fact in ends
        if fact.value is not None
    )


def digest_of(assignment: Assignment) -> str:
    """Twelve hex digits: what a branch was given."""
    return hashlib.sha256(assignment.model_dump_json().encode()).hexdigest()[:12]
