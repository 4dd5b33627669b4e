"""What every evaluator is, ours or a foreign verifier's: an execution ends in a row, whatever happens."""

import time
from collections.abc import Callable
from typing import Any, Protocol

from solvers.containers.engine import Engine, EngineFault
from solvers.measuring.cores import Cores
from solvers.measuring.node import load, node
from solvers.measuring.score import End, Role, Score, Seeding
from solvers.tasks.task import Task
from solvers.workspace.solution import Refused, Solution

Told = dict[str, Any]  # fields of a Score, as they become known


class Evaluates(Protocol):
    """What a branch and the command line need of an evaluator."""

    images: tuple[str, ...]
    """Their names."""
    made_of: tuple[str, ...]
    """The same with what they hold, as rows say it."""

    def evaluate(
        self,
        solution: Solution | Refused,
        role: Role = Role.SOLUTION,
        seeding: Seeding = Seeding.SEARCH,
        seed: str | None = None,
        timed: bool = True,
    ) -> Score:
        """One execution; never raises for what a solution is or does, or the engine does not do: all are rows.

        Not ``timed``: only whether it is right, where a verifier can tell that apart.
        """

    def close(self) -> None:
        """End the containers."""


def said_nothing(_: str) -> None:
    """For callers who do not want to hear what is being built."""


def identified(engine: Engine, names: tuple[str, ...]) -> tuple[str, ...]:
    """Images by name and by what they hold: a name says what an image was made from, not which compiler came of it."""
    return tuple(f"{name}@{(engine.image(name) or 'gone').removeprefix('sha256:')[:12]}" for name in names)


def execution(task: Task, cores: Cores, run: Callable[[], Told], **known: Any) -> Score:
    """The row of whatever ``run`` does; an engine that fails is a verdict like any other."""
    began = time.time()
    told: Told = {"node": node(cores.timed[0]), "load_before": load()}
    try:
        told |= run()
    except EngineFault as fault:
        told |= {"end": End.ENGINE, "why": str(fault)}
    ended = time.time()
    return Score(
        task=task.name,
        trust=task.trust,
        correct=told["end"] is End.RIGHT,
        load_after=load(),
        started_at=began,
        measured_at=ended,
        seconds=ended - began,
        **(known | told),
    )


def refusal(refused: Refused) -> Told:
    """What was not even read."""
    return {"end": End.REFUSED, "why": str(refused)}
