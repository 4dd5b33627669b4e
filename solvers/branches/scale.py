"""The scale that a branch's executions are on: the anchors of its node, which a search takes once a node."""

import hashlib
from collections.abc import Callable

from solvers.measuring.anchors import calibrate
from solvers.measuring.evaluator import method
from solvers.measuring.execution import Evaluates
from solvers.measuring.measurements import Alike, Measurements
from solvers.measuring.node import node
from solvers.measuring.score import Score, scaled
from solvers.tasks.task import FULL, Task, Trust

Ends = tuple[float, float]
"""Baseline and reference, in the task's metric."""


def node_key(task: Task, profile: str, evaluator: Evaluates) -> str:
    """What two measurements must share to be on one scale, in a few letters."""
    return hashlib.sha256("\0".join(map(str, here(task, profile, evaluator))).encode()).hexdigest()[:12]


def here(task: Task, profile: str, evaluator: Evaluates) -> Alike:
    """How an execution on this node would be measured."""
    found = node()
    return Alike(task.digest(), method(task.measure), profile, found.host, found.cpu_model, evaluator.made_of)


def anchors(
    task: Task, profile: str, evaluator: Evaluates, measurements: Measurements, say: Callable[[str], None]
) -> Ends:
    """The node's anchors as this disk has them, or measured now.

    BadInput where the task's baseline or reference fails, or nothing can be written.
    """
    alike = here(task, profile, evaluator)
    ends = measurements.anchors(alike)
    if ends is None:
        measurements.prepare()
        calibrate(evaluator, task, measurements, say)
        ends = measurements.anchors(alike)
    assert ends is not None, "anchors that were just measured are there"
    return ends


def on_scale_of(task: Task, profile: str, score: Score, ends: Ends | None) -> Score:
    """The execution with its scores."""
    if task.trust is Trust.FOREIGN:
        return score
    return scaled(score, ends, task.description.optimization.declared if profile == FULL else None)
