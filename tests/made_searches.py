"""Searches in the middle, made by chance, and managers that say what a test wants: for tests of operators."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random

from actors.prompt import Request
from actors.row import Row
from solvers.assignment import Assignment, shares
from solvers.attempt import Attempt, AttemptRole, Execution
from solvers.idea import Cluster, Idea, Kind, Lesson, Rank, Source
from solvers.measuring.score import End, Seeding
from solvers.operators.operator import Consulted, Operator, Payload, R
from solvers.state import Brief, State

TECHNIQUES = tuple((f"t{number}", f"technique {number}") for number in range(8))
Rule = Callable[[Payload, int], Row]


def brief(techniques: bool = True) -> Brief:
    return Brief(
        name="toy",
        title="A toy",
        instruction="Make the sum fast. Keep its result. It must not allocate any memory.",
        brief="",
        language="c",
        scale="0 is the baseline, 50 the reference",
        techniques=TECHNIQUES if techniques else (),
    )


def idea(number: int, parent: str | None = None, techniques: tuple[str, ...] = ("t1",), title: str = "") -> Idea:
    return Idea(
        id=f"i{number:03d}",
        source=Source.REFINED if parent else Source.IDEATOR,
        kind=Kind.PUSH_SCORE if parent else Kind.SEED,
        iteration=0,
        parent_id=parent,
        title=title or f"Title {number}",
        short_hypothesis=f"Hypothesis {number}",
        abstract=f"Abstract {number}",
        experiments=(),
        risks="",
        techniques=techniques,
    )


def attempt(branch: int, name: str | None, score: float | None, iteration: int = 1, **more: object) -> Attempt:
    values = {"iteration": iteration, "branch": branch, "idea_id": name, "assigned_idea_id": name, "score": score}
    rest = {"success": score is not None, "executions": 3, "seconds": 1.0, "host": "h"}
    return Attempt.model_validate({**values, **rest, **more})


def execution(branch: int, index: int, score: float | None, why: str | None = None) -> Execution:
    right = score is not None
    verdict = End.RIGHT if right else End.WRONG
    return Execution(
        branch=branch, index=index, seeding=Seeding.SEARCH, solution="s", about=f"try {index}", verdict=verdict,
        correct=right, score=score, why=why, started_at=0.0,
    )  # fmt: skip


def cluster(index: int, *names: str) -> Cluster:
    return Cluster(
        iteration=1, index=index, label=f"Label {index}", theme="t", idea_ids=names, rationale="", fallback=False
    )


def rank(cluster: int, name: str | None, place: int) -> Rank:
    return Rank(iteration=1, cluster=cluster, idea_id=name, rank=place, of=9, rationale="", fallback=False)


def lesson(name: str, text: str = "a lesson", tag: str = "works", iteration: int = 1) -> Lesson:
    return Lesson(iteration=iteration, tag=tag, lesson=text, context_idea=name, fallback=False)


def state_of(*ideas: Idea, techniques: bool = True, branches: int = 5, iterations: int = 5) -> State:
    state = State(task=brief(techniques), shares=shares(300, branches, iterations), seed=0, iteration=1)
    state.welcome(ideas)
    return state


def any_search(seed: int) -> tuple[State, list[Cluster], list[Rank]]:
    """A search in some iteration: its pool, attempts of all kinds, lessons, clusters of the pool, dense ranks."""
    draws = Random(seed)
    state = state_of(
        techniques=draws.random() < 0.7, branches=draws.randint(1, 6), iterations=draws.randint(3, 6)
    )  # fmt: skip
    for number in range(1, draws.randint(1, 20) + 1):
        parent = draws.choice([None, *state.ideas])
        names = tuple(draws.sample([name for name, _ in TECHNIQUES], draws.randint(1, 3)))
        state.welcome([idea(number, parent, names if state.task.techniques else ())])
    for state.iteration in range(1, draws.randint(1, 3)):
        count = min(state.shares.branches, len(state.untried()))
        for name in draws.sample([one.id for one in state.untried()], count):
            state.attempts.append(any_attempt(draws, state, len(state.attempts) + 1, name))
        if count:
            state.done.append(count)
    state.lessons = [lesson(one.idea_id or "", f"lesson of {one.branch}") for one in state.counted]
    state.iteration = len(state.done) + 1
    clusters = any_clusters(draws, state)
    return state, clusters, any_ranks(draws, state, clusters)


def any_attempt(draws: Random, state: State, branch: int, name: str) -> Attempt:
    score = draws.choice([None, 0.0, draws.random()])
    role = draws.choice([AttemptRole.ATTEMPT, AttemptRole.ATTEMPT, AttemptRole.DISCARDED])
    error = None if score is not None else "it does not compile " * 50
    state.evidence[branch] = [execution(branch, index, score, error) for index in range(1, draws.randint(1, 9))]
    return attempt(branch, name, score, state.iteration, role=role, error=error)


def any_clusters(draws: Random, state: State) -> list[Cluster]:
    names = list(state.ideas)
    draws.shuffle(names)
    count = draws.randint(1, min(5, len(names)))
    groups = [names[at::count] for at in range(count)]
    return [cluster(at, *group) for at, group in enumerate(groups, 1)]


def any_ranks(draws: Random, state: State, clusters: list[Cluster]) -> list[Rank]:
    """Ranks with ties, none at all now and then."""
    if draws.random() < 0.2:
        return []
    tried = state.tried()
    found = [rank(one.index, None, draws.randint(1, 2)) for one in clusters]
    for one in clusters:
        waiting = [name for name in one.idea_ids if name not in tried]
        places = [draws.randint(1, 3) for _ in waiting]
        dense = {place: at for at, place in enumerate(sorted(set(places)), 1)}
        found += [rank(one.index, name, dense[place]) for name, place in zip(waiting, places, strict=True)]
    return found


@dataclass
class Manager:
    """Says by rule what it is asked, and nothing of use where it has no rule; a reply that is refused falls back.

    asked: payloads by part; refused: what was wrong, by part. Checked as the council would have it: one question a
    part, JSON payloads, a prompt that can be rendered with and without a mistake, a reply that survives JSON.
    """

    rules: Mapping[str, Rule] = field(default_factory=dict)
    seed: int = 0
    asked: dict[str, Payload] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    prompts: dict[str, str] = field(default_factory=dict)

    async def __call__(self, operator: Operator[R], payload: Payload, part: str) -> Consulted[R]:
        assert part not in self.asked, f"{part} was asked twice"
        self.asked[part] = payload
        assert json.loads(json.dumps(payload)) == payload
        self.prompts[part] = rendered(operator, payload, "")
        assert "Your last reply could not be used: it is wrong." in rendered(operator, payload, "it is wrong")
        if operator.name in self.rules:
            said = self.rules[operator.name](payload, self.seed)
            reply = operator.reply.model_validate_json(said.model_dump_json())
            wrong = operator.problem(reply, payload)
            if not wrong:
                return Consulted(reply, fallback=False)
            self.refused[part] = wrong
        reply = operator.fallback(payload)
        assert operator.problem(reply, payload) == ""
        return Consulted(reply, fallback=True, problem=self.refused.get(part, ""))


def rendered(operator: Operator[R], payload: Payload, mistake: str) -> str:
    request = Request(operator.name, {**payload, "mistake": mistake}, operator.reply, 1.0)
    return request.messages()[1]["content"]


def kept(state: State, table: str) -> list[Row]:
    return [row for name, row, _ in state.rows if name == table]


def names_of(assignments: list[Assignment]) -> list[str]:
    return [one.idea.id for one in assignments if one.idea]
