"""A solver: whoever writes a branch's code. It edits and asks for executions; who counts them is the workbench."""

import time
from typing import TYPE_CHECKING, Protocol

from pydantic import Field

from actors.errors import Fault
from actors.model import Model
from actors.replay import Tape
from actors.row import Row
from solvers.assignment import Assignment
from solvers.attempt import Execution
from solvers.tasks.task import Task
from solvers.workspace.solution import Refused, Solution

if TYPE_CHECKING:
    from solvers.containers.engine import Engine


class Over(Fault):
    """The branch has no execution left, or no time."""


class Known(Row):
    """What came of a solution that an earlier branch measured. metric: the task's; choice: a catalogue's, or ""."""

    correct: bool
    score: float | None
    metric: float | None
    choice: str = ""


class Exhibit(Row):
    """Another branch's code that an idea refers to. idea: its title; baseline: what it is compared with.

    code: None where none could be read. score: where it is right; error: else what was said of it.
    """

    idea: str
    code: Solution | None
    baseline: Solution
    score: float | None = None
    error: str = ""


class Hint(Row):
    """What a solver may be told beside its assignment. parent_score: of the code that it begins with.

    parent_choice: what that code was rendered from, where it is a catalogue's: a `Choice` as JSON. measured: what the
    search knows of solutions, by hash. share: which of how many branches this is, from 0, that were given the same
    work at once. exhibits: code that the idea takes from, or is to mend.
    """

    lessons: tuple[str, ...] = ()
    parent_score: float | None = None
    parent_choice: str = ""
    brief: str = ""
    measured: dict[str, Known] = Field(default_factory=dict)
    share: tuple[int, int] = (0, 1)
    exhibits: tuple[Exhibit, ...] = ()


class Workbench(Protocol):
    """What a branch gives its solver.

    start: the code to begin with, the parent's best or the baseline. tape, model: for a solver that asks a model; its
    calls go on that tape. tried: what earlier lives of the branch have measured, for a solver that cannot be replayed:
    others get those results from `evaluate` by asking for the same again. engine, uid, labels: for a solver with
    containers of its own: its node's engine, the branch's user there, and what its containers are marked with.
    """

    task: Task
    profile: str
    assignment: Assignment
    hint: Hint
    start: Solution
    tape: Tape
    model: Model | None
    deadline: float
    """By time.monotonic."""
    executions: list[Execution]
    tried: tuple[tuple[Execution, Solution | None], ...]
    engine: "Engine"
    uid: int
    labels: dict[str, str]

    @property
    def left(self) -> int:
        """Executions that may still be started."""

    async def evaluate(self, solution: Solution | Refused, about: str = "", choice: str = "") -> Execution:
        """One execution, counted as it starts and on disk before it is told. Over where none, or no time, is left.

        about: what is tried, in a few words; choice: the same for programs, such as a catalogue's choice as JSON.
        """

    def recall_rest(self) -> None:
        """Take in what earlier lives measured and this one has not asked for again, as if it had."""

    def solution(self, hash: str) -> Solution:
        """A solution that was evaluated here, or the start."""

    @property
    def best(self) -> Execution | None:
        """The right execution with the best score so far, the first of equals."""


class Solver(Protocol):
    """One way to turn an assignment into code. It returns when it has nothing more to try; raising Over is as good.

    UnitFault where it cannot go on: the branch ends as an error, with all that it measured.
    """

    async def solve(self, bench: Workbench) -> None:
        """Work until done, or until there is no execution or time left."""


def seconds_left(bench: Workbench) -> float:
    """Until the branch's deadline; 0 where it has passed."""
    return max(0.0, bench.deadline - time.monotonic())
