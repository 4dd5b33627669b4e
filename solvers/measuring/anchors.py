"""A task's anchors on this node, baseline and reference, measured as any solution is; and scores by them."""

from collections.abc import Callable
from pathlib import Path

from actors.errors import BadInput
from solvers.measuring.evaluator import Evaluates
from solvers.measuring.measurements import Measurements
from solvers.measuring.score import Role, Score, on_scale, scaled
from solvers.tasks.task import FULL, Task, Trust
from solvers.workspace.solution import Refused, Solution, read_folder


def baseline(task: Task) -> Solution:
    """The editable code that a solver begins with."""
    files = read_folder(task.environment).files
    return Solution(files={name: files[name] for name in task.measure.sources})


def reference(task: Task) -> Solution:
    """The reference; never shown to a solver."""
    return read_folder(task.reference)


def calibrate(
    evaluator: Evaluates, task: Task, measurements: Measurements, say: Callable[[str], None]
) -> tuple[Score, Score]:
    """Measure both anchors and write them down; BadInput where they are not the ends of a scale."""
    found = []
    for role, solution in ((Role.BASELINE, baseline(task)), (Role.REFERENCE, reference(task))):
        say(f"measuring the {role} of {task.name}")
        score = evaluator.evaluate(solution, role)
        measurements.add(score)
        if score.metric is None or not score.correct:
            raise BadInput(f"{task.name}: its {role} ended as {score.end}: {score.why}; heuresis task check says more")
        found.append(score)
    below, above = found
    on_scale(1.0, below.metric or 0.0, above.metric or 0.0)
    return below, above


def score_folder(
    evaluator: Evaluates, task: Task, profile: str, folder: Path, measurements: Measurements, seed: str | None = None
) -> Score:
    """The verdict on a folder, on the scale of this node, written down before it is told."""
    try:
        solution: Solution | Refused = read_folder(folder)
    except Refused as refused:
        solution = refused
    score = evaluator.evaluate(solution, seed=seed)
    if task.trust is Trust.HARNESS:
        declared = task.description.optimization.declared if profile == FULL else None
        score = scaled(score, measurements.anchors(score.task_digest, profile, score.node), declared)
    measurements.add(score)
    return score
