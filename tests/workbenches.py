"""A workbench for solvers under test: executions come from a function, and stay on the tape as a branch keeps them."""

import json
from collections.abc import Callable, Iterable
from typing import Any

from executions import execution_row

from actors.amount import Amount
from actors.model import Model, Reply, Spec
from actors.prompt import Request
from actors.recorded import Recorded
from actors.replay import Tape
from solvers.agents.solver import Hint, Over
from solvers.assignment import Assignment
from solvers.attempt import Execution, execution
from solvers.idea import Idea, Kind, Source
from solvers.measuring.score import End, Score
from solvers.tasks.task import Task
from solvers.tasks.technique import Choice
from solvers.workspace.solution import Refused, Solution

Measure = Callable[[Solution, str], Score]
"""A solution, and the choice as JSON that it was rendered from, to what it scores."""


def idea(title: str = "An idea", *techniques: str, **more: Any) -> Idea:
    """An idea of which nothing matters but what is named."""
    known: dict[str, Any] = {
        "id": "i001",
        "source": Source.IDEATOR,
        "kind": Kind.SEED,
        "iteration": 0,
        "short_hypothesis": "It helps.",
        "abstract": "It is said to help.",
        "experiments": (),
        "risks": "none",
    }
    return Idea(title=title, techniques=techniques, **{**known, **more})


def assignment(given: Idea | str) -> Assignment:
    """Branch 1 with an idea, or with an instruction."""
    own: dict[str, Any] = {"instruction": given, "idea": None} if isinstance(given, str) else {"idea": given}
    return Assignment(branch=1, iteration=1, operator="draft", **own)


class FakeBench:
    """A `Workbench` over a made-up landscape. recorded: what an earlier bench has left on its tape."""

    def __init__(
        self,
        task: Task,
        given: Idea | str,
        measure: Measure,
        executions: int = 12,
        hint: Hint | None = None,
        start: Solution | None = None,
        model: Model | None = None,
        recorded: Recorded | None = None,
    ) -> None:
        self.task, self.profile, self.assignment = task, "small", assignment(given)
        self.hint = hint or Hint()
        self.start = start or Solution(files={})
        self.tape = Tape.of("search", "branch.b001", recorded or Recorded(), None)
        self.model, self.deadline = model, float("inf")
        self.executions: list[Execution] = []
        self.tried: tuple[tuple[Execution, Solution | None], ...] = ()
        self.choices: list[Choice] = []
        self.measured = 0
        self._measure, self._allowed = measure, executions
        self._solutions = {self.start.hash: self.start}

    @property
    def left(self) -> int:
        return self._allowed - len(self.executions)

    async def evaluate(self, solution: Solution | Refused, about: str = "", choice: str = "") -> Execution:
        assert isinstance(solution, Solution)
        if self.left <= 0:
            raise Over("no execution is left")
        index = len(self.executions) + 1
        fact = self.tape.recall("execution", index)
        if fact is None:
            self.measured += 1
            row = execution(self._measure(solution, choice), 1, index, about)
            row = row.model_copy(update={"solution": solution.hash})
            fact = await self.tape.keep_fact("execution", index, solution.hash, {"execution": row.model_dump()})
        assert fact.about == solution.hash
        assert fact.value is not None
        row = Execution.model_validate_json(json.dumps(fact.value["execution"]))
        self.executions.append(row)
        self._solutions[solution.hash] = solution
        if choice:
            self.choices.append(Choice.model_validate_json(choice))
        return row

    def solution(self, hash: str) -> Solution:
        return self._solutions[hash]

    @property
    def best(self) -> Execution | None:
        right = [row for row in self.executions if row.correct and row.score is not None]
        return max(right, key=lambda row: row.score or 0.0, default=None)

    @property
    def recorded(self) -> Recorded:
        """What stands on the tape."""
        return Recorded(calls=tuple(self.tape.calls), facts=tuple(self.tape.facts))


def scored(score: float, **more: Any) -> Score:
    """A right execution that scores so much."""
    return execution_row(metric=1.0 - score / 2, score=score, score_local=score, **more)


def failed(end: End, why: str = "", log: str = "") -> Score:
    """One that did not end right."""
    return execution_row(end, score=0.0, why=why or None, log=log or None)


class SayingModel:
    """A model that says one reply after the other; an `ErrorKind` in their place is a reply that never came."""

    def __init__(self, replies: Iterable[str | Reply], **spec: Any) -> None:
        self.spec = Spec(**{"name": "saying", "family": "test", "model": "openai/saying", **spec})
        self.asked: list[Request] = []
        self._replies = list(replies)

    async def complete(self, request: Request) -> Reply:
        self.asked.append(request)
        reply = self._replies.pop(0)
        return Reply(text=reply, latency=0.0) if isinstance(reply, str) else reply

    def ceiling(self, request: Request) -> Amount:
        return Amount()

    def prompt(self, number: int) -> str:
        """What was shown in one request."""
        return "\n\n".join(message["content"] for message in self.asked[number].messages())
