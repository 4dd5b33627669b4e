"""Searches in any state, and a manager that holds operators to what they promise, for the tests of operators."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from hypothesis import strategies as st

from actors.amount import Amount
from actors.model import Reply, Spec
from actors.prompt import Request
from actors.row import Row
from solvers.assignment import shares
from solvers.attempt import Attempt, AttemptRole
from solvers.idea import Idea, Kind, Source
from solvers.operators.operator import Consulted, Operator, Payload, R
from solvers.state import Brief, State

WORDS = "digits buckets cache lines stores vectors blocks streams pages counters tables lanes".split()
TECHNIQUES = tuple((name, f"what {name} does to the {word}") for name, word in zip("abcdef", WORDS, strict=False))
TEXT = "Sort the keys. Count the digits first, then move every key.\n\n## Rules\n\n- Use **one thread** only."


def brief(techniques: int) -> Brief:
    return Brief(
        name="sort",
        title="Sort",
        instruction=TEXT,
        brief="",
        language="c",
        scale="50 is the reference",
        techniques=TECHNIQUES[:techniques],
    )


def idea(number: int, title: str = "", techniques: tuple[str, ...] = (), parent: str | None = None) -> Idea:
    return Idea(
        id=f"i{number:03d}",
        source=Source.REFINED if parent else Source.IDEATOR,
        kind=Kind.PUSH_SCORE if parent else Kind.SEED,
        iteration=0,
        parent_id=parent,
        title=title or f"idea {number}",
        short_hypothesis="It pays.",
        abstract=f"Do {title or number}.",
        experiments=(),
        risks="",
        techniques=techniques,
    )


def attempt(branch: int, idea_id: str, score: float | None, role: AttemptRole = AttemptRole.ATTEMPT) -> Attempt:
    return Attempt(
        iteration=branch,
        branch=branch,
        idea_id=idea_id,
        assigned_idea_id=idea_id,
        score=score,
        success=score is not None,
        role=role,
        executions=1,
        seconds=1.0,
        host="here",
    )


def state_of(*ideas: Idea, attempts: tuple[Attempt, ...] = (), techniques: int = 0, iteration: int = 1) -> State:
    state = State(task=brief(techniques), shares=shares(100, 5, 5), seed=0, iteration=iteration)
    state.ideas.update((one.id, one) for one in ideas)
    state.attempts.extend(attempts)
    return state


@st.composite
def states(draw: st.DrawFn, fewest: int = 0) -> State:
    """Pools of up to 12 ideas, some of them tried, failed or discarded; with techniques and without."""
    known = draw(st.integers(0, len(TECHNIQUES)))
    ideas: list[Idea] = []
    for number in range(1, draw(st.integers(fewest, 12)) + 1):
        title = " ".join(draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=3)))
        used = draw(st.lists(st.sampled_from(TECHNIQUES[:known]), max_size=3, unique=True)) if known else []
        parent = draw(st.sampled_from([None, *(one.id for one in ideas)]))
        ideas.append(idea(number, title, tuple(name for name, _ in used), parent))
    attempts = []
    if ideas:
        for branch, tried in enumerate(draw(st.lists(st.sampled_from(ideas), max_size=8)), 1):
            score = draw(st.none() | st.floats(0, 1))
            attempts.append(attempt(branch, tried.id, score, draw(st.sampled_from(AttemptRole))))
    return state_of(*ideas, attempts=tuple(attempts), techniques=known, iteration=draw(st.integers(1, 30)))


class Answers:
    """Says what ``say`` does for a payload, and nothing of use where that is None or cannot stand.

    It checks of each consultation that its payload is plain JSON, that its prompt can be written from that, with and
    without a mistake, and that the fallback can stand.
    """

    def __init__(self, say: Callable[[str, Payload], Row | None] = lambda *_: None) -> None:
        self.say = say
        self.asked: dict[str, tuple[str, Payload]] = {}
        self.problems: list[str] = []

    async def __call__(self, operator: Operator[R], payload: Payload, part: str) -> Consulted[R]:
        assert part not in self.asked
        assert json.loads(json.dumps(payload)) == payload
        self.asked[part] = (operator.name, payload)
        for mistake in ("", "it was wrong"):
            said = prompt(operator, {**payload, "mistake": mistake})
            assert ("it was wrong" in said) == bool(mistake)
        fallback = operator.fallback(payload)
        assert operator.problem(fallback, payload) == ""
        reply = self.say(operator.name, payload)
        if reply is None:
            return Consulted(fallback, fallback=True, problem="no reply")
        assert isinstance(reply, operator.reply)
        if problem := operator.problem(reply, payload):
            self.problems.append(problem)
            return Consulted(fallback, fallback=True, problem=problem)
        return Consulted(reply, fallback=False)


def prompt(operator: Operator[Any], values: Mapping[str, object]) -> str:
    """What a model reads."""
    return "\n".join(one["content"] for one in Request(operator.name, values, operator.reply, 1.0).messages())


class Script:
    """A model that says its lines in order, or what ``say`` makes of a request."""

    def __init__(self, say: Callable[[Request], str]) -> None:
        self.spec = Spec(name="script", model="x/y", family="script")
        self.say = say
        self.requests: list[Request] = []

    async def complete(self, request: Request) -> Reply:
        self.requests.append(request)
        return Reply(text=self.say(request), latency=0.0)

    def ceiling(self, request: Request) -> Amount:
        return Amount()
