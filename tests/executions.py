"""Rows of executions that nobody ran."""

from typing import Any

from solvers.measuring.node import node
from solvers.measuring.score import End, Role, Score, Seeding
from solvers.tasks.task import Trust


def execution_row(end: End = End.RIGHT, metric: float | None = None, **more: Any) -> Score:
    """A row of task t at profile full."""
    known: dict[str, Any] = {
        "task": "t",
        "task_digest": "d",
        "profile": "full",
        "trust": Trust.HARNESS,
        "method": "m",
        "role": Role.SOLUTION,
        "solution": "s",
        "seeding": Seeding.SEARCH,
        "node": node(),
        "load_before": 0.0,
        "load_after": 0.0,
        "seconds": 1.0,
        "started_at": 0.0,
        "measured_at": 1.0,
    }
    return Score(end=end, correct=end is End.RIGHT, metric=metric, **(known | more))
