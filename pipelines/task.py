"""``heuresis task``: tasks, their images and anchors, and the verdict on one solution folder."""

import argparse
import json
import re
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from actors.errors import BadInput
from solvers.measuring.measurements import Alike, Measurements
from solvers.measuring.node import node
from solvers.tasks.task import FULL, SHIPPED, Task, Trust, find_task, read_task, task_folders

if TYPE_CHECKING:
    from solvers.containers.engine import Engine
    from solvers.measuring.execution import Evaluates
    from solvers.measuring.score import Score

SHOWN = 40  # lines of a log
EXIT_CODES = "exit codes: 0 right or done, 1 wrong or unsound, 2 bad input, 130 interrupted"
Act = Callable[[argparse.Namespace], int]


def add_task_words(task: argparse.ArgumentParser) -> None:
    """The subcommands of ``heuresis task``."""
    actions = task.add_subparsers(title="actions", required=True, metavar="ACTION")

    def action(name: str, act: Act, about: str, *, named: bool = True) -> argparse.ArgumentParser:
        made = actions.add_parser(name, help=about, description=about, epilog=EXIT_CODES)
        made.set_defaults(command=act)
        made.add_argument("--json", action="store_true", help="for scripts")
        if named:
            made.add_argument("task", help="the name of a task in datasets/tasks, or the path of any task folder")
        return made

    listing = action("list", list_command, "The tasks, and what is known of them on this node.", named=False)
    listing.add_argument("folder", nargs="?", type=Path, default=SHIPPED, help="a folder of tasks (default: ours)")
    base = action("base", base_command, "Make debian:bookworm-slim where no registry gives it.", named=False)
    base.add_argument("--force", action="store_true", help="make it anew")
    checked = action("check", check_command, "Build a task's images and see whether its scores can be trusted.")
    checked.add_argument("--every", action="store_true", help="every combination of the catalogue, not a covering part")
    calibrated = action("calibrate", calibrate_command, "Measure a task's baseline and reference on this node.")
    scored = action("score", score_command, "Build, measure and judge one solution folder.")
    scored.add_argument("solution", type=Path, help="the folder with the solution's files")
    scored.add_argument("--seed", help="64 hex digits of an earlier score: the same inputs again")
    for measured in (checked, calibrated, scored):
        measured.add_argument("--profile", default=FULL, help="a size that the task defines (default: full)")
    for kept in (listing, checked, calibrated, scored):
        kept.add_argument("--outputs", type=Path, default=Path("outputs"), help="default: outputs")


def kept_in(given: argparse.Namespace) -> Measurements:
    """Where every measurement is written down."""
    return Measurements(given.outputs / "measurements")


def to_keep_in(given: argparse.Namespace) -> Measurements:
    """The same, when something is going to be."""
    kept = kept_in(given)
    kept.prepare()
    return kept


def say(text: str) -> None:
    """What is being done, on stderr."""
    sys.stderr.write(f"{text}\n")


def list_command(given: argparse.Namespace) -> int:
    """``heuresis task list``."""
    folders = task_folders(given.folder)
    if not folders:
        raise BadInput(f"{given.folder}: no task folders there (a task holds a task.toml)")
    rows, bad = [], 0
    for folder in folders:
        try:
            rows += listed(read_task(folder), kept_in(given))
        except BadInput as error:
            say(f"heuresis: {error}")
            bad = 2
    if given.json:
        sys.stdout.write(json.dumps(rows, indent=1) + "\n")
        return bad
    lines = [("TASK", "PROFILE", "TRUST", "DECLARED", "ON THIS NODE", "TITLE")]
    lines += [
        (
            row["task"],
            row["profile"] or "-",
            row["trust"],
            scale(row["declared"]) or "-",
            scale(row["anchors"]) or ("-" if row["trust"] == Trust.FOREIGN else "not calibrated"),
            row["title"] or "",
        )
        for row in rows
    ]
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    for line in lines:
        padded = (word.ljust(width) for word, width in zip(line, widths, strict=True))
        sys.stdout.write("  ".join(padded).rstrip() + "\n")
    return bad


def listed(task: Task, measurements: Measurements) -> list[dict[str, Any]]:
    """A row for each profile."""
    description = task.description
    profiles = list(task.measure.profile) if description.measure else [None]
    return [
        {
            "task": task.name,
            "title": description.metadata.title,
            "about": description.metadata.about,
            "language": description.metadata.language,
            "trust": task.trust,
            "gpus": description.environment.gpus,
            "profile": profile,
            "declared": description.optimization.declared if profile in (None, FULL) else None,
            "anchors": measurements.anchors(like_here(task, profile)) if profile else None,
            "folder": str(task.folder),
        }
        for profile in profiles
    ]


def like_here(task: Task, profile: str, images: tuple[str, ...] | None = None) -> Alike:
    """What a measurement made now on this node would be."""
    from solvers.measuring.evaluator import method

    here = node()
    return Alike(task.digest(), method(task.measure), profile, here.host, here.cpu_model, images)


def scale(ends: tuple[float, float] | None) -> str:
    """Baseline and reference for a table."""
    return f"{ends[0]:.3g} -> {ends[1]:.3g} s" if ends else ""


def base_command(given: argparse.Namespace) -> int:
    """``heuresis task base``."""
    from solvers.containers.base_image import make_base
    from solvers.containers.engine import Engine

    with Engine.connect() as engine:
        made = make_base(engine, say, force=given.force)
    sys.stdout.write((json.dumps({"image": made}) if given.json else made) + "\n")
    return 0


def check_command(given: argparse.Namespace) -> int:
    """``heuresis task check``."""
    from solvers.measuring.check import check

    task, kept = find_task(given.task), to_keep_in(given)
    with ExitStack() as stack:
        engine, evaluator = opened(task, given.profile, stack)
        found = []
        for finding in check(task, evaluator, engine, kept, given.every, say):
            found.append(finding)
            if not given.json:
                sys.stdout.write(f"{'ok ' if finding.ok else 'bad'} {finding.name}: {finding.found}\n")
    if given.json:
        sys.stdout.write(json.dumps([finding.model_dump() for finding in found], indent=1) + "\n")
    return 0 if all(finding.ok for finding in found) else 1


def opened(task: Task, profile: str, stack: ExitStack) -> "tuple[Engine, Evaluates]":
    """The engine, swept, and a warm evaluator; this process moves off the cores that are timed."""
    from solvers.containers.engine import Engine
    from solvers.measuring.cores import Cores
    from solvers.measuring.evaluator import Evaluator

    if task.trust is Trust.HARNESS:
        task.profile(profile)
    engine, cores = stack.enter_context(Engine.connect()), Cores()
    engine.sweep()
    cores.keep_off()
    if task.trust is Trust.FOREIGN:
        from solvers.measuring.foreign import Foreign

        return engine, stack.enter_context(Foreign(engine, task, cores, say))
    return engine, stack.enter_context(Evaluator(engine, task, profile, cores, say=say))


def calibrate_command(given: argparse.Namespace) -> int:
    """``heuresis task calibrate``."""
    from solvers.measuring.anchors import calibrate

    task, kept = find_task(given.task), to_keep_in(given)
    with ExitStack() as stack:
        _, evaluator = opened(task, given.profile, stack)
        below, above = calibrate(evaluator, task, kept, say)
    if given.json:
        sys.stdout.write(json.dumps([one.model_dump(mode="json") for one in (below, above)], indent=1) + "\n")
    else:
        for one in (below, above):
            sys.stdout.write(
                f"{one.role}: {one.metric:.6g} s, spread {one.spread:.1%} over {len(one.samples)} samples\n"
            )
    return 0


def score_command(given: argparse.Namespace) -> int:
    """``heuresis task score``: 0 where the solution is right, 1 where it is not."""
    from solvers.measuring.anchors import calibrate, score_folder

    task = find_task(given.task)
    if given.seed and not re.fullmatch("[0-9a-f]{64}", given.seed):
        raise BadInput("--seed: not 64 hex digits; take the seed of an earlier score's row")
    if not given.solution.is_dir():
        raise BadInput(f"{given.solution}: no such folder; a solution is a folder of source files")
    if given.outputs.resolve().is_relative_to(given.solution.resolve()):
        raise BadInput(f"{given.outputs}: lies in the solution, and would become a part of it; name another --outputs")
    measurements = to_keep_in(given)
    with ExitStack() as stack:
        _, evaluator = opened(task, given.profile, stack)
        if task.trust is Trust.HARNESS and not measurements.anchors(like_here(task, given.profile, evaluator.made_of)):
            say(f"no anchors for {task.name} ({given.profile}) on {node().host} yet: measuring them first")
            calibrate(evaluator, task, measurements, say)
        score = score_folder(evaluator, task, given.profile, given.solution, measurements, given.seed)
    if given.json:
        sys.stdout.write(score.model_dump_json(indent=1) + "\n")
    else:
        say_score(score)
    return 0 if score.correct else 1


def say_score(score: "Score") -> None:
    """A verdict for a reader; scores of 100."""
    from solvers.measuring.measurements import UNSTEADY

    lines = [f"{score.end}" + (f": {score.why}" if score.why else "")]
    if score.metric is not None and score.spread is not None:
        lines.append(f"{score.metric:.4g} s a case, spread {score.spread:.1%} over {len(score.samples)} samples")
        if score.spread > UNSTEADY:
            lines.append("beware: the samples disagree; others use this machine (see load and queued in --json)")
    for name, value, ends in (
        ("on this node", score.score_local, (score.baseline_local, score.reference_local)),
        ("declared", score.score_declared, None),
        ("reward", score.reward, None),
    ):
        if value is not None:
            scale = f" (baseline {ends[0]:.4g} s, reference {ends[1]:.4g} s)" if ends and ends[0] and ends[1] else ""
            lines.append(f"score {name}: {value if name == 'reward' else 100 * value:.4g}{scale}")
    if score.log:
        said = score.log.rstrip().splitlines()
        lines += ["", "its build or verifier said:" if len(said) <= SHOWN else f"the first {SHOWN} lines of its log:"]
        lines += said[:SHOWN]
    sys.stdout.write("\n".join(lines) + "\n")
