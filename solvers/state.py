"""What a search is, to its policy and its operators: the task's brief, and the state that is rebuilt by replay."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from pydantic import Field

from actors.row import Row
from solvers.assignment import Shares
from solvers.attempt import Attempt, Execution
from solvers.idea import Idea, Lesson


class Brief(Row):
    """What policies and operators are told of a task. techniques: (id, about) of its catalogue, where the solver is it.

    needs, excludes: by technique, where there are any: what it goes only together with, and never together with.
    scale: in words, what a score of 0, 50 and 100 is. brief: background, "" where the policy is not to see it.
    """

    name: str
    title: str
    instruction: str
    brief: str
    language: str
    scale: str
    techniques: tuple[tuple[str, str], ...] = ()
    needs: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    excludes: dict[str, tuple[str, ...]] = Field(default_factory=dict)


@dataclass
class State:
    """A search as its policy sees it. It is rebuilt by replay, so it may hang on nothing but replies and results.

    attempts: every one that has ended, in order of branch, as the audit left it. ideas: the pool, in order of arrival.
    seed: of the search's draws.
    """

    task: Brief
    shares: Shares
    seed: int
    iteration: int = 0
    ideas: dict[str, Idea] = field(default_factory=dict)
    attempts: list[Attempt] = field(default_factory=list)
    lessons: list[Lesson] = field(default_factory=list)
    done: list[int] = field(default_factory=list)
    """Branches of each past iteration; by the time that a policy learns, the one it learns from is among them."""
    evidence: dict[int, list[Execution]] = field(default_factory=dict)
    """The executions of each branch, in order."""
    rows: list[tuple[str, Row, dict[str, Any]]] = field(default_factory=list)
    """What is to be kept: table, row, more columns."""

    @property
    def branches_left(self) -> int:
        """Of B_tot."""
        return self.shares.total - sum(self.done)

    def add(self, table: str, row: Row, **more: Any) -> None:
        """Keep a row."""
        self.rows.append((table, row, more))

    def welcome(self, ideas: Iterable[Idea]) -> None:
        """Put new ideas into the pool, and into the table."""
        for idea in ideas:
            self.ideas[idea.id] = idea
            self.add("ideas", idea)

    def next_id(self) -> str:
        """The id of the next idea."""
        return f"i{len(self.ideas) + 1:03d}"

    @property
    def counted(self) -> list[Attempt]:
        """Attempts that history and lessons may use: those that were not discarded."""
        return [one for one in self.attempts if one.role != "discarded"]

    def tried(self) -> set[str]:
        """Ideas that a branch has worked on, or counts for, discarded ones with them."""
        return {name for one in self.attempts for name in (one.idea_id, one.assigned_idea_id) if name is not None}

    def untried(self) -> list[Idea]:
        """Ideas that no branch has worked on."""
        tried = self.tried()
        return [idea for name, idea in self.ideas.items() if name not in tried]

    def best_of(self, idea: str | None) -> Attempt | None:
        """The best attempt that counts for an idea, the first of equals."""
        own = [one for one in self.counted if one.idea_id == idea and one.score is not None]
        return max(own, key=lambda one: one.score or 0.0, default=None)

    def parents_of(self, idea: Idea) -> tuple[int, ...]:
        """Branches whose code an idea begins with: its parent's best, then that of the sibling it takes from."""
        best = (self.best_of(name) for name in (idea.parent_id, idea.sibling_referenced) if name is not None)
        return tuple(dict.fromkeys(one.branch for one in best if one is not None))
