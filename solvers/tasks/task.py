"""A task: a folder in the Harbor format. Ours say how they are measured; those of others bring a verifier that is run.

Public collections differ in what else they write into task.toml, so keys that we do not know are passed over there,
but not in [measure], which is ours. Paths are made from the folder that the person named.
"""

import hashlib
import tomllib
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from actors.errors import BadInput, unknown
from actors.row import Row, parse
from solvers.tasks.asked import asked
from solvers.workspace.solution import Refused, read_folder

FULL = "full"  # the profile that declared anchors are for
SHIPPED = Path(__file__).resolve().parents[2] / "datasets" / "tasks"

Positive = Annotated[float, Field(gt=0, le=1e6)]
Whole = Annotated[int, Field(ge=1)]


class Table(Row):
    """A table of Harbor's: open to keys that others know."""

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)


class Trust(StrEnum):
    """Whose word a score is."""

    HARNESS = "harness"  # measured by our own harness
    FOREIGN = "foreign"  # what the task's own verifier says, in a container with the solution


class Metadata(Table):
    """What the task is."""

    name: Annotated[str, Field(pattern=r"^[\w .:/@+-]{1,100}$")] | None = None
    title: str | None = None
    about: str | None = None
    language: str | None = None
    licence: str | None = None


class TimeLimit(Table):
    """[agent] or [verifier]: seconds."""

    timeout_sec: Positive = 600.0


class Environment(Table):
    """The container: megabytes, seconds, processors."""

    build_timeout_sec: Positive = 600.0
    cpus: Annotated[float, Field(gt=0)] = 1
    memory_mb: Annotated[int, Field(ge=16)] = 2048
    storage_mb: Whole = 1024
    gpus: Annotated[int, Field(ge=0)] = 0
    gpu_types: tuple[str, ...] | None = None
    allow_internet: bool = False
    docker_image: str | None = None


class Anchor(Table):
    """A declared end of the scale."""

    score: float | None = None
    method: str | None = None


class Optimization(Table):
    """What is optimised, and the declared scale."""

    metric: str = "reward"
    direction: Literal["minimize", "maximize"] = "maximize"
    baseline: Anchor = Anchor()
    reference: Anchor = Anchor()

    @property
    def declared(self) -> tuple[float, float] | None:
        """Baseline and reference, where both are declared."""
        ends = self.baseline.score, self.reference.score
        return None if ends[0] is None or ends[1] is None else (ends[0], ends[1])


RESERVED = {"bytes", "core", "uid", "seconds", "cases"}  # words of the harness's own orders


class Profile(Row):
    """A size to measure at. ``cases`` is the most that one section may hold; ``parameters`` go to the verifier."""

    parameters: dict[Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")], Annotated[int, Field(ge=0, lt=2**63)]]
    cases: Annotated[int, Field(ge=1, le=4096)]

    @model_validator(mode="after")
    def parameters_have_names_of_their_own(self) -> Self:
        """The harness reads its own words from the same line."""
        if taken := sorted(self.parameters.keys() & RESERVED):
            raise ValueError(f"parameters: '{taken[0]}' is a word of the harness; call it something else")
        return self


class Measure(Row):
    """[measure]: how our harness builds and measures a solution. Seconds."""

    language: Literal["c", "c++", "rust"]
    sources: Annotated[tuple[str, ...], Field(min_length=1)]
    protected: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    build_sec: Positive = 60.0
    load_sec: Annotated[float, Field(gt=0, le=1)] = 1.0
    call_sec: Positive = 60.0
    profile: Annotated[dict[str, Profile], Field(min_length=1)]


class Description(Table):
    """The whole of task.toml."""

    version: str = "1.0"
    metadata: Metadata = Metadata()
    agent: TimeLimit = TimeLimit()
    verifier: TimeLimit = TimeLimit()
    environment: Environment = Environment()
    optimization: Optimization = Optimization()
    measure: Measure | None = None

    @model_validator(mode="after")
    def a_measured_task_is_timed(self) -> Self:
        """The harness measures seconds, and its scale goes down."""
        if self.measure and (self.optimization.metric, self.optimization.direction) != ("seconds", "minimize"):
            raise ValueError("[measure] needs [optimization] metric = 'seconds' and direction = 'minimize'")
        ends = self.optimization.declared
        if self.measure and ends and not 0 < ends[1] < ends[0]:
            raise ValueError("[optimization] declares a reference that is not faster than the baseline")
        return self


class Task:
    """A folder that has been read and checked."""

    def __init__(self, folder: Path, description: Description) -> None:
        self.folder = folder
        self.description = description
        self.name = description.metadata.name or folder.name

    @property
    def trust(self) -> Trust:
        """Whose word its scores are."""
        return Trust.HARNESS if self.description.measure else Trust.FOREIGN

    @property
    def measure(self) -> Measure:
        """How the harness measures it; only for tasks that it measures."""
        if self.description.measure is None:
            raise BadInput(f"{self.folder}/task.toml: has no [measure], so only its own verifier can score it")
        return self.description.measure

    def profile(self, name: str) -> Profile:
        """A profile by its name, with all that the verifier asks for."""
        known, written = self.measure.profile, f"{self.folder}/task.toml"
        if name not in known:
            raise BadInput(unknown("profile", name, list(known), f"see [measure.profile] in {written}"))
        given = known[name].parameters
        for parameter, asking in asked(self.tests).items():
            if parameter not in given:
                lacks = f"asks for the parameter '{parameter}', which [measure.profile.{name}] in {written} lacks"
                raise BadInput(f"{asking}: {lacks} (it has: {', '.join(given) or 'none'}); add it there")
        return known[name]

    @property
    def environment(self) -> Path:
        """Dockerfile and the code to begin with."""
        return self.folder / "environment"

    @property
    def tests(self) -> Path:
        """The verifier's folder."""
        return self.folder / "tests"

    @property
    def reference(self) -> Path:
        """The reference solution's folder."""
        return self.folder / "solution"

    @property
    def catalog(self) -> Path:
        """The catalogue's folder; not every task has one."""
        return self.folder / "catalog"

    def digest(self) -> str:
        """Twelve hex digits over the task's part in a measurement: task.toml, environment/, tests/, solution/."""
        return files_digest([self.folder / "task.toml", self.environment, self.tests, self.reference])


def files_digest(paths: list[Path]) -> str:
    """Twelve hex digits over the names and contents of files and folders."""
    digest = hashlib.sha256()
    for path in paths:
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file() and not file.is_symlink():
                digest.update(f"{path.name}/{file.relative_to(path)}\0{file.stat().st_size}\0".encode())
                digest.update(file.read_bytes())
    return digest.hexdigest()[:12]


def read_task(folder: Path) -> Task:
    """The task in a folder; BadInput says what is missing or wrong."""
    path = folder / "task.toml"
    if not path.is_file():
        raise BadInput(f"{folder}: no task.toml there; a task is a folder in the Harbor format (heuresis task list)")
    try:
        written: dict[str, Any] = tomllib.loads(path.read_text())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadInput(f"{path}: not TOML: {error}") from None
    task = Task(folder.resolve(), parse(Description, written, str(path)))
    for needed in needed_files(task):
        if not (folder / needed).exists():
            kind = "a task" if task.trust is Trust.HARNESS else "a task without [measure]"
            raise BadInput(f"{folder}: no {needed}, which {kind} has")
    if task.trust is Trust.HARNESS:
        for part in (task.environment, task.reference, *filter(Path.is_dir, task.tests.glob("broken/*"))):
            try:
                read_folder(part)
            except Refused as refused:
                raise BadInput(f"{part}: {refused}") from None
    return task


def needed_files(task: Task) -> list[str]:
    """What must be in the folder."""
    if task.trust is Trust.FOREIGN:
        image = [] if task.description.environment.docker_image else ["environment/Dockerfile"]
        return ["instruction.md", *image, "tests/test.sh"]
    code = [f"environment/{name}" for name in (*task.measure.sources, *task.measure.protected)]
    return ["instruction.md", "environment/Dockerfile", "tests/verifier.c", "tests/shim.c", "solution", *code]


def find_task(name: str) -> Task:
    """A shipped task by its name, or any by its path."""
    shipped = {path.name: path for path in task_folders(SHIPPED)}
    if name in shipped:
        return read_task(shipped[name])
    if "/" in name or Path(name).is_dir():
        return read_task(Path(name))
    raise BadInput(unknown("task", name, list(shipped), "or give a folder's path"))


def task_folders(folder: Path) -> list[Path]:
    """The tasks in a folder of tasks."""
    return sorted(path.parent for path in folder.glob("*/task.toml"))
