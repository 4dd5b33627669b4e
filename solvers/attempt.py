"""What a branch left: its executions, its attempt, and what the audit says of it."""

from enum import StrEnum
from typing import Literal

from actors.row import Row
from solvers.measuring.score import End, Score, Seeding


class Flag(StrEnum):
    """What an audit may find (AIM, auditor)."""

    REWARD_HACKING = "reward_hacking"  # the score does not say what it should
    IDEA_MISMATCH = "idea_mismatch"  # right, but not the idea that was assigned
    TASK_MISMATCH = "task_mismatch"  # it does something else than the task asks for
    TRIVIAL = "trivial"  # no code of its own


DISCARDING = frozenset(Flag) - {Flag.IDEA_MISMATCH}


class AttemptRole(StrEnum):
    """How an attempt counts."""

    ATTEMPT = "attempt"
    RELABEL = "idea_mismatch_relabel"  # it counts for the idea that its code is
    DISCARDED = "discarded"  # in no history and no lesson; what it measured stays spent


class Execution(Row):
    """One execution. index: from 1 within its branch; held-out ones have their own and are not counted.

    solution: its hash; None where it could not be read. about: what the solver tried, in its own words. verdict: `lost`
    where a crash swallowed it. seconds: wall-clock from asking to verdict. metric: the task's, here seconds a case.
    """

    branch: int
    index: int
    seeding: Seeding
    solution: str | None
    about: str = ""
    verdict: End
    correct: bool = False
    metric: float | None = None
    spread: float | None = None
    score: float | None = None
    score_local: float | None = None
    score_declared: float | None = None
    baseline: float | None = None
    reference: float | None = None
    seconds: float | None = None
    build_seconds: float | None = None
    queued: float | None = None
    why: str | None = None
    log: str | None = None
    object: str | None = None
    seed: str | None = None
    host: str | None = None
    cpu_model: str | None = None
    core: int | None = None
    started_at: float


def execution(score: Score, branch: int, index: int, about: str) -> Execution:
    """A score as the row of a search."""
    same = ("seeding", "solution", "correct", "metric", "spread", "score", "score_local", "score_declared", "seconds")
    more = ("build_seconds", "queued", "why", "log", "object", "seed", "core", "started_at")
    return Execution(
        branch=branch,
        index=index,
        about=about,
        verdict=score.end,
        baseline=score.baseline_local,
        reference=score.reference_local,
        host=score.node.host,
        cpu_model=score.node.cpu_model,
        **{name: getattr(score, name) for name in (*same, *more)},
    )


class Attempt(Row):
    """What came of one assignment. idea_id: the idea that it counts for; assigned_idea_id: the one it was given.

    score .. solution: of its best right execution; None where it has none. success: whether there is one. executions:
    started, lost ones with them. seconds: wall-clock of the branch. tokens, cost: of its calls; None where one is
    unknown. audit_flags: of the first audit. eligible: whether it may be the search's result.
    """

    iteration: int
    branch: int
    idea_id: str | None
    assigned_idea_id: str | None
    score: float | None = None
    score_local: float | None = None
    score_declared: float | None = None
    score_basis: Literal["local", "declared", "reward"] | None = None
    metric: float | None = None
    success: bool = False
    role: AttemptRole = AttemptRole.ATTEMPT
    audit_flags: tuple[Flag, ...] = ()
    executions: int
    seconds: float
    tokens: int | None = None
    cost: float | None = None
    solution: str | None = None
    parent_solution: str | None = None
    host: str
    status: Literal["ok", "error"] = "ok"
    error_kind: str | None = None
    error: str | None = None

    @property
    def eligible(self) -> bool:
        """Right, and not discarded."""
        return self.success and self.role is not AttemptRole.DISCARDED


class Reconstructed(Row):
    """The idea that the code is, as an auditor sees it. twist: only of an unconventional one."""

    title: str
    short_hypothesis: str
    twist: str | None
    grounded_in: str
    addresses: str
    mode: Literal["conservative", "unconventional"]


class Audit(Row):
    """One audit. phase: before or after an idea was rewritten. mechanical: flags that rules found, without a model."""

    iteration: int
    branch: int
    idea_id: str | None
    phase: Literal["before", "after"]
    flags: tuple[Flag, ...]
    mechanical: tuple[str, ...]
    confidence: float
    reasoning: str
    reconstructed_idea: Reconstructed | None
    fallback: bool
