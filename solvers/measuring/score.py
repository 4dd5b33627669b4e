"""What an execution gave, in one row: its verdict, samples, seeds and hashes, and its place on the scale."""

from enum import StrEnum
from math import log

from pydantic import Field

from actors.errors import BadInput
from actors.row import Row
from solvers.measuring.node import Node
from solvers.measuring.section import Section
from solvers.tasks.task import Trust


class End(StrEnum):
    """How an execution ended. All but RIGHT score zero; ENGINE says nothing about the solution."""

    RIGHT = "right"
    WRONG = "wrong"  # an output was not what it had to be
    REFUSED = "refused"  # links, devices, too much: not read at all
    PROTECTED = "protected"  # it brings another version of a file that is not its own
    REJECTED = "rejected"  # by the compiler
    BUILD_TIME = "build_time"
    BUILD_MEMORY = "build_memory"
    LOAD = "load"  # no such function, a missing library, or it left while it was loaded
    CRASH = "crash"
    EXIT = "exit"
    FORBIDDEN = "forbidden"  # a system call that a solution may not make
    MEMORY = "memory"
    KILLED = "killed"
    TIME = "time"
    DISK = "disk"  # it wrote more than the task allows
    NO_REWARD = "no_reward"  # a foreign verifier left no number
    ENGINE = "engine"  # the container engine went away
    LOST = "lost"  # a crash of the driver or a node swallowed it


class Role(StrEnum):
    """What was measured."""

    SOLUTION = "solution"
    BASELINE = "baseline"
    REFERENCE = "reference"


class Seeding(StrEnum):
    """Which seeds: the search's, or fresh ones that no search has seen."""

    SEARCH = "search"
    HELD_OUT = "held_out"


class Score(Row):
    """One execution. ``metric`` is the task's (seconds per case here); what is not known is None, never 0.

    score = 0 if wrong or t >= B, else min(1, ln(B/t) / (2 ln(B/R))), for the anchors B and R measured on this node
    (local) and for those that the task declares (AIM, arXiv 2609.38445, scoring of system tasks).
    """

    task: str
    task_digest: str
    profile: str | None
    trust: Trust
    role: Role
    solution: str | None
    object: str | None = None
    method: str
    images: tuple[str, ...] = ()
    end: End
    correct: bool
    why: str | None = None
    log: str | None = None
    metric: float | None = None
    spread: float | None = None
    samples: tuple[float, ...] = ()
    sections: tuple[Section, ...] = ()
    seeding: Seeding
    seed: str | None = None
    baseline_local: float | None = None
    reference_local: float | None = None
    score_local: float | None = None
    score_declared: float | None = None
    score: float | None = None
    score_basis: str | None = None
    reward: float | None = None
    speedup: float | None = None
    node: Node
    core: int | None = None
    core_shared: bool | None = None
    load_before: float
    load_after: float
    queued: float = 0.0
    build_seconds: float | None = None
    load_seconds: float | None = None
    seconds: float
    started_at: float
    measured_at: float = Field(ge=0)


def on_scale(metric: float, baseline: float, reference: float) -> float:
    """The score of a right solution that takes ``metric`` seconds: the reference has .5, (B/R)^2 is full marks."""
    if not 0 < reference < baseline:
        raise BadInput(f"a scale from {baseline:g} s (baseline) to {reference:g} s (reference) is none: mend the task")
    if metric >= baseline:
        return 0.0
    return min(1.0, log(baseline / metric) / (2 * log(baseline / reference)))


def scaled(score: Score, local: tuple[float, float] | None, declared: tuple[float, float] | None) -> Score:
    """The row with its scores. The local one drives: anchors of another machine say little about times on this one."""

    def on(anchors: tuple[float, float] | None) -> float | None:
        if score.end is End.ENGINE or anchors is None:
            return None
        return on_scale(score.metric, *anchors) if score.correct and score.metric is not None else 0.0

    here = on(local)
    return score.model_copy(
        update={
            "baseline_local": local and local[0],
            "reference_local": local and local[1],
            "score_local": here,
            "score_declared": on(declared),
            "score": here,
            "score_basis": None if here is None else "local",
        }
    )
