"""A task's anchors on this node, baseline and reference, measured as any solution is; and scores by them."""

from collections.abc import Callable
from pathlib import Path

from actors.errors import BadInput
from solvers.containers.engine import EngineFault
from solvers.measuring.execution import Evaluates
from solvers.measuring.measurements import UNSTEADY, Measurements, alike
from solvers.measuring.score import End, Role, Score, on_scale, scaled
from solvers.tasks.task import FULL, Task, Trust
from solvers.workspace.solution import Refused, Solution, read_folder

TRIES = 3


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
        score = steady(evaluator, solution, role, measurements)
        if score.end is End.ENGINE:
            raise EngineFault(f"measuring the {role} of {task.name}: {score.why}")
        if score.metric is None or not score.correct:
            raise BadInput(f"{task.name}: its {role} ended as {score.end}: {score.why}")
        found.append(score)
    below, above = found
    on_scale(1.0, below.metric or 0.0, above.metric or 0.0)
    return below, above


def steady(evaluator: Evaluates, solution: Solution, role: Role, measurements: Measurements) -> Score:
    """An anchor, measured again where its samples disagree: the calmest of a few."""
    found: list[Score] = []
    while len(found) < TRIES and (not found or (found[-1].spread or 0.0) > UNSTEADY):
        found.append(evaluator.evaluate(solution, role))
        measurements.add(found[-1])
    return min(found, key=lambda score: (not score.correct, score.spread or 0.0))


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
        score = scaled(score, measurements.anchors(alike(score)), declared)
    measurements.add(score)
    return score
