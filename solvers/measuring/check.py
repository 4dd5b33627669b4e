"""Whether a task can be trusted: its images, its anchors, its broken variants, its catalogue, and what it shows.

Anchors are measured as any solution is; of the rest it is only asked whether it is right, at the same size.

A task's author puts solutions that must be rejected into tests/broken/, a file or a folder each.
"""

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice

from actors.errors import BadInput
from actors.row import Row
from solvers.containers.container import Cell, Container
from solvers.containers.engine import Engine, EngineFault
from solvers.measuring.anchors import baseline, calibrate
from solvers.measuring.execution import Evaluates
from solvers.measuring.measurements import Measurements
from solvers.measuring.score import End, Score
from solvers.tasks.catalog import Catalog
from solvers.tasks.task import FULL, Task, Trust
from solvers.workspace.solution import Solution, read_folder

Say = Callable[[str], None]
ENOUGH = 0.5  # of the declared ratio of baseline to reference, which is for the full size
CLEARLY = 2.0  # times faster than the baseline, at other sizes
UNTOLD = {End.RIGHT, End.ENGINE, End.REJECTED, End.BUILD_TIME, End.BUILD_MEMORY, End.LOAD, End.PROTECTED, End.REFUSED}
"""Ends of a broken variant that say nothing of the verifier: it was not asked, or it was deceived."""
MANY = 2000  # combinations, which take an hour or so
HASH_SECONDS = 120.0
# What a solver can read, as a solver; an empty line ends it.
HASHES = "find / -xdev -type f -size -4096k -readable -exec sha256sum {} + 2>/dev/null; echo; cat"


class Finding(Row):
    """One thing that was checked."""

    name: str
    ok: bool
    found: str


def check(
    task: Task, evaluator: Evaluates, engine: Engine, kept: Measurements, every: bool, say: Say
) -> Iterator[Finding]:
    """One finding after the other; ``every`` renders all of the catalogue rather than a covering part of it."""
    combinations = rendered(task, every) if task.trust is Trust.HARNESS else {}  # what cannot be rendered is told first
    yield Finding(name="images", ok=True, found=", ".join(evaluator.images))
    if task.trust is Trust.FOREIGN:
        yield verifier(evaluator)
    else:
        yield anchors(task, evaluator, kept, say)
        yield from broken(task, evaluator, say)
        yield catalogue(task, evaluator, combinations, say)
    yield leaks(task, engine, evaluator.images[0])


def verifier(evaluator: Evaluates) -> Finding:
    """A foreign verifier runs and leaves a number for the code to begin with; whether it is honest nobody can check."""
    score = evaluator.evaluate(Solution(files={}))
    return Finding(
        name="verifier",
        ok=score.reward is not None,
        found=f"{score.end}, reward {score.reward} for the unchanged code; solution/solve.sh is not tried",
    )


def anchors(task: Task, evaluator: Evaluates, kept: Measurements, say: Say) -> Finding:
    """Baseline and reference are right, and far enough apart."""
    try:
        below, above = calibrate(evaluator, task, kept, say)
    except BadInput as error:
        return Finding(name="anchors", ok=False, found=str(error))
    times = below.metric or 0.0, above.metric or 0.0
    ratio, declared = times[0] / times[1], task.description.optimization.declared
    found = f"baseline {times[0]:.4g} s, reference {times[1]:.4g} s: {ratio:.1f} times"
    if declared is None:
        return Finding(name="anchors", ok=ratio > 1, found=found)
    wanted = declared[0] / declared[1]
    least = ENOUGH * wanted if below.profile == FULL else CLEARLY
    return Finding(
        name="anchors", ok=ratio >= least, found=f"{found}; {least:.1f} are needed, {wanted:.1f} declared at full size"
    )


def broken(task: Task, evaluator: Evaluates, say: Say) -> Iterator[Finding]:
    """Nothing that is wrong passes."""
    variants = broken_variants(task)
    if not variants:
        yield Finding(name="broken variants", ok=False, found="none in tests/broken, so nothing shows what is rejected")
    for name, solution in variants.items():
        say(f"broken variant {name}")
        score = evaluator.evaluate(solution, timed=False)
        yield Finding(
            name=f"broken variant {name}",
            ok=score.end not in UNTOLD,
            found=f"{score.end}: {score.why}" if score.why else str(score.end),
        )


def broken_variants(task: Task) -> dict[str, Solution]:
    """By name: a folder as it is, a file as the first of the task's sources."""
    found = {}
    for path in sorted((task.tests / "broken").glob("*")):
        files = read_folder(path).files if path.is_dir() else {task.measure.sources[0]: path.read_bytes()}
        found[path.name] = Solution(files=files)
    return found


def rendered(task: Task, every: bool) -> dict[str, Solution]:
    """What the catalogue renders, by the choice's label: all of it with ``every``, else a covering part."""
    if not task.catalog.is_dir():
        return {}
    catalog = Catalog(task.catalog)
    choices = list(islice(catalog.choices(), MANY + 1)) if every else catalog.pairs()
    if len(choices) > MANY:
        raise BadInput(f"{catalog.path}: more than {MANY} combinations, too many for --every; leave it out")
    return {choice.label: Solution(files=catalog.render(choice)) for choice in choices}


def catalogue(task: Task, evaluator: Evaluates, combinations: Mapping[str, Solution], say: Say) -> Finding:
    """All that the catalogue renders is right and builds without a warning. How much of it helps is only told.

    Faster is what takes less than the baseline in its first call, as nothing is timed here.
    """
    if not combinations:
        return Finding(name="catalogue", ok=True, found="none")
    say("the baseline, which the catalogue is compared with")
    slow = first_call(evaluator.evaluate(baseline(task), timed=False))
    scores = tried(task, evaluator, combinations, say)
    wrong = [f"'{label}' ended as {score.end}: {score.why}" for label, score in scores.items() if not score.correct]
    warned = [f"'{label}': {warning(score)}" for label, score in scores.items() if score.correct and score.log]
    calls = [call for score in scores.values() if (call := first_call(score))]
    found = [
        f"{len(scores)} combinations tried, {len(scores) - len(wrong)} right",
        f"{sum(call < slow for call in calls)} faster than the baseline" if slow else "the baseline is not right",
        *named("not right", wrong),
        *named("built with warnings", warned),
    ]
    return Finding(name="catalogue", ok=not (wrong or warned), found="; ".join([", ".join(found[:2]), *found[2:]]))


def tried(task: Task, evaluator: Evaluates, combinations: Mapping[str, Solution], say: Say) -> dict[str, Score]:
    """Whether each combination is right; EngineFault where the engine fails, which says nothing about them."""
    scores = {}
    for number, (label, solution) in enumerate(combinations.items(), 1):
        say(f"catalogue: combination {number} of {len(combinations)}")
        scores[label] = evaluator.evaluate(solution, timed=False)
        if scores[label].end is End.ENGINE:
            raise EngineFault(f"measuring the catalogue of {task.name}: {scores[label].why}")
    return scores


def first_call(score: Score) -> float | None:
    """Seconds of a right solution's first call of the profile's size."""
    warm_ups = (section.seconds / section.cases for section in score.sections if section.kind == "warm-up")
    return next(warm_ups, None) if score.correct else None


def warning(score: Score) -> str:
    """The line of the build's log to begin with."""
    lines = (score.log or "").splitlines()
    return next((line for line in lines if "warning" in line), lines[0] if lines else "")


def named(what: str, faults: Sequence[str]) -> list[str]:
    """How many there are, and the first of them."""
    return [f"{len(faults)} {what}{', the first' if faults[1:] else ''}: {faults[0]}"] if faults else []


def leaks(task: Task, engine: Engine, image: str) -> Finding:
    """No file of tests/ or solution/ is in what a solver sees, whatever its name there."""
    secrets = {
        hashlib.sha256(path.read_bytes()).hexdigest(): path.relative_to(task.folder).as_posix()
        for folder in (task.tests, task.reference)
        for path in folder.rglob("*")
        if path.is_file() and path.stat().st_size  # every image has an empty file
    }
    shown = {f"environment image: {name}": digest for digest, name in hashes_in(engine, image).items()}
    for path in (task.folder / "instruction.md", task.folder / "brief.md"):
        if path.is_file():
            shown[path.name] = hashlib.sha256(path.read_bytes()).hexdigest()
    leaked = [f"{secrets[digest]} is {name}" for name, digest in shown.items() if digest in secrets]
    if len(shown) <= 2:
        return Finding(name="leaks", ok=False, found="its environment's files could not be listed (find, sha256sum)")
    found = "; ".join(leaked) or f"none of {len(secrets)} files of tests/ and solution/ among {len(shown)} files shown"
    return Finding(name="leaks", ok=not leaked, found=found)


def hashes_in(engine: Engine, image: str) -> dict[str, str]:
    """The files of an image by the SHA-256 of what they hold."""
    cell = Cell(image=image, command=("sh", "-c", HASHES), memory_mb=256, user="65534:65534", tmpfs={"/tmp": 16})
    found = {}
    with Container(engine, cell) as container:
        deadline = time.monotonic() + HASH_SECONDS
        while line := container.line(deadline).decode(errors="replace"):
            digest, _, name = line.partition("  ")
            found[digest.removeprefix("\\")] = name  # which is how sha256sum marks a name that it escapes
    return found
