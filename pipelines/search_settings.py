"""What a run of the idea search plays: one task, one policy, one solver, under one budget."""

import hashlib
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from actors.errors import BadInput
from actors.model import Kind
from actors.row import Row
from pipelines.settings import Settings, Where
from solvers.agents.choice import SolverSettings
from solvers.assignment import Shares, shares
from solvers.operators.audit import Auditing, AuditingSaid
from solvers.policies.choice import PolicySettings
from solvers.tasks.task import Task, files_digest, find_task, read_task

TOLD = ("instruction.md", "brief.md", "catalog")
"""What a policy or a solver is told of a task, beyond what it is measured by."""

Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][\w.+-]*$", max_length=60)]
Positive = Annotated[float, Field(gt=0, le=10_000)]
Count = Annotated[int, Field(ge=1, le=1000, strict=True)]


class TaskChoice(Row):
    """Which task, at which size. path: its folder, None is one of ours. digest: of its files, as they were read."""

    name: Name
    profile: str
    path: Where | None = None
    digest: str | None = None


class SearchSettings(Settings):
    """One run of the search.

    branches: at once in the first iteration. iterations: the plan is branches x iterations branches in all, and the
    planner may spread them over more iterations, or fewer; budget.executions is shared among all of them. clock_hours:
    wall-clock of one search. branch_minutes: of one branch; None is the task's own limit for an agent. audit: what is
    done about audits, see `Auditing`.
    """

    experiment: Literal["idea_search"]
    task: TaskChoice
    policy: PolicySettings
    solver: SolverSettings
    branches: Count
    iterations: Count
    clock_hours: Positive
    branch_minutes: Positive | None = None
    audit: AuditingSaid = Auditing.ENFORCE
    manager: str
    coder: str | None = None

    @model_validator(mode="after")
    def executions_are_said(self) -> "SearchSettings":
        """N has no default: each task brings its own."""
        if self.budget.executions is None:
            raise ValueError("budget.executions: must be set, to the executions that all branches share")
        return self

    @model_validator(mode="after")
    def a_model_codes(self) -> "SearchSettings":
        """A solver that asks a model has one."""
        if self.solver.kind != "catalog" and self.coder is None:
            why = f"solver={self.solver.kind} needs a model that writes code; set coder=, or solver=catalog"
            raise ValueError(f"coder: {why}")
        return self

    @model_validator(mode="after")
    def a_rule_manages_and_none_codes(self) -> "SearchSettings":
        """A scripted model knows one seat."""
        manager, coder = self.models[self.manager], self.models[self.codes] if self.codes else None
        if manager.kind is Kind.SCRIPTED and manager.persona is not None:
            raise ValueError(f"manager: '{self.manager}' plays the game by rule, and manages no search; take 'manager'")
        if coder is not None and coder.kind is Kind.SCRIPTED:
            raise ValueError(f"coder: '{self.coder}' is a rule, and writes no code; take a model, or solver=catalog")
        return self

    @property
    def shares(self) -> Shares:
        """The budget's arithmetic; BadInput where a branch could not measure once."""
        assert self.budget.executions is not None
        return shares(self.budget.executions, self.branches, self.iterations)

    @property
    def codes(self) -> str | None:
        """The model in the coder's seat, where the solver has one."""
        return None if self.solver.kind == "catalog" else self.coder

    @property
    def seated(self) -> list[str]:
        """Manager and coder."""
        return list(dict.fromkeys([self.manager, *filter(None, [self.codes])]))

    def played(self) -> dict[str, Any]:
        """A task by its name and content, wherever its folder is; a coder that is never asked is none."""
        content = super().played()
        content["task"].pop("path")
        return {**content, "coder": self.codes, "executions": self.budget.executions}

    def read_task(self) -> Task:
        """The task as it is now; BadInput where it is none."""
        return read_task(self.task.path) if self.task.path else find_task(self.task.name)

    def pinned(self) -> "SearchSettings":
        """The same, with the digest of the task as it is now; BadInput where another content was asked for."""
        task = self.read_task()
        found, asked = contents(task), self.task.digest
        if asked not in (None, found):
            raise BadInput(f"task.digest={asked}: {task.folder} is now {found}; restore the task, or drop task.digest")
        return self.model_copy(update={"task": self.task.model_copy(update={"digest": found})})


def contents(task: Task) -> str:
    """Twelve hex digits over all of a task's files that can change what a search does or measures."""
    told = files_digest([task.folder / name for name in TOLD])
    return hashlib.sha256(f"{task.digest()} {told}".encode()).hexdigest()[:12]
