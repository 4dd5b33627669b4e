"""Whether a task can be trusted: its images, its anchors, its broken variants, its catalogue, and what it shows.

Anchors are measured as any solution is; of the rest it is only asked whether it is right, at the same size.

A task's author puts solutions that must be rejected into tests/broken/, a file or a folder each.
"""

import hashlib
import time
from collections.abc import Callable, Iterator
from itertools import islice

from actors.errors import BadInput
from actors.row import Row
from solvers.containers.container import Cell, Container
from solvers.containers.engine import Engine
from solvers.measuring.anchors import calibrate
from solvers.measuring.execution import Evaluates
from solvers.measuring.measurements import Measurements
from solvers.measuring.score import End
from solvers.tasks.catalog import Catalog
from solvers.tasks.task import FULL, Task, Trust
from solvers.workspace.solution import Solution, read_folder

Say = Callable[[str], None]
ENOUGH = 0.5  # of the declared ratio of baseline to reference, which is for the full size
CLEARLY = 2.0  # times faster than the baseline, at other sizes
UNTOLD = {End.RIGHT, End.ENGINE, End.REJECTED, End.BUILD_TIME, End.BUILD_MEMORY, End.LOAD, End.PROTECTED, End.REFUSED}
"""Ends of a broken variant that say nothing of the verifier: it was not asked, or it was deceived."""
MANY = 2000  # variants, which take an hour or so
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
    yield Finding(name="images", ok=True, found=", ".join(evaluator.images))
    if task.trust is Trust.FOREIGN:
        yield verifier(evaluator)
    else:
        yield anchors(task, evaluator, kept, say)
        yield from broken(task, evaluator, say)
        yield catalogue(task, evaluator, every, say)
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


def catalogue(task: Task, evaluator: Evaluates, every: bool, say: Say) -> Finding:
    """Everything that the catalogue renders is right."""
    if not task.catalog.is_dir():
        return Finding(name="catalogue", ok=True, found="none")
    catalog = Catalog(task.catalog)
    choices = list(islice(catalog.choices(), MANY + 1)) if every else catalog.pairs()
    if len(choices) > MANY:
        raise BadInput(f"{catalog.path}: more than {MANY} variants, too many for --every; leave it out")
    bad = []
    for number, choice in enumerate(choices, 1):
        say(f"catalogue variant {number} of {len(choices)}")
        score = evaluator.evaluate(Solution(files=catalog.render(choice)), timed=False)
        if score.end is not End.RIGHT or score.log:
            bad.append(f"{choice.model_dump_json()} ended as {score.end}: {score.why or score.log}")
    found = f"{len(choices)} variants right" if not bad else f"{len(bad)} of {len(choices)} not: {bad[0]}"
    return Finding(name="catalogue", ok=not bad, found=found)


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
