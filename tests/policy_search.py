"""A search without branches, for tests of policies: what they assign is scored by a made-up landscape."""

import importlib
import json
import pkgutil
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import solvers.scripted
from actors.row import Row
from solvers.assignment import AT_ONCE, Assignment, shares
from solvers.attempt import Attempt, AttemptRole, Execution, Flag
from solvers.measuring.score import End, Seeding
from solvers.operators.operator import Consulted, Operator, Payload, R
from solvers.policies.policy import Policy
from solvers.state import Brief, State

TECHNIQUES = tuple((f"t{number:02d}", f"what technique {number} does") for number in range(24))
BRIEF = Brief(
    name="toy",
    title="A toy",
    instruction="Make it fast.",
    brief="It is slow.",
    language="c",
    scale="0 is the baseline, 50 the reference",
    techniques=TECHNIQUES,
)


@dataclass
class Fallbacks:
    """A manager that always says nothing of use: every operator does what it does without a model."""

    said: dict[str, tuple[str, str]] = field(default_factory=dict)

    async def __call__(self, operator: Operator[R], payload: Payload, part: str) -> Consulted[R]:
        assert part not in self.said, f"{part} was asked twice"
        reply = self.reply(operator, payload, part)
        assert not operator.problem(reply, payload), f"{part}: {operator.problem(reply, payload)}"
        self.said[part] = (json.dumps([operator.name, dict(payload)]), reply.model_dump_json())
        return Consulted(reply, fallback=True)

    def reply(self, operator: Operator[R], payload: Payload, part: str) -> R:
        del part
        return operator.fallback(payload)


@dataclass
class Scripted(Fallbacks):
    """The scripted manager's rules where it has one, and plans of every kind."""

    seed: int = 0

    def reply(self, operator: Operator[R], payload: Payload, part: str) -> R:
        draws = random.Random(f"{self.seed}/{part}")
        if operator.name == "plan":
            said: dict[str, Any] = {"rationale": "drawn", "plan": drawn_plan(payload, draws)}
        elif operator.name in RULES:
            said = RULES[operator.name]({**payload, "mistake": ""}, draws.getrandbits(31)).model_dump(mode="json")
        else:
            return operator.fallback(payload)
        return operator.reply.model_validate_json(json.dumps(said))


def drawn_plan(payload: Payload, draws: random.Random) -> list[int]:
    """Any plan that may stand."""
    plan = list(payload["done"])
    while left := payload["total"] - sum(plan):
        plan.append(draws.randint(1, min(left, payload["most"])))
    return plan


def scripted_rules() -> dict[str, Callable[[Payload, int], Row]]:
    """Every rule of the scripted manager, by operator."""
    names = [one.name for one in pkgutil.iter_modules(solvers.scripted.__path__) if one.name != "model"]
    modules = [importlib.import_module(f"solvers.scripted.{name}") for name in names]
    return {operator: rule for module in modules for operator, rule in getattr(module, "RULES", {}).items()}


RULES = scripted_rules()


@dataclass
class Replayed:
    """The manager of an earlier search once more; another question than then is an error."""

    said: dict[str, tuple[str, str]]

    async def __call__(self, operator: Operator[R], payload: Payload, part: str) -> Consulted[R]:
        asked, reply = self.said[part]
        assert asked == json.dumps([operator.name, dict(payload)])
        return Consulted(operator.reply.model_validate_json(reply), fallback=True)


def state(seed: int = 0, branches: int = 5, iterations: int = 5, executions: int = 300) -> State:
    return State(task=BRIEF, shares=shares(executions, branches, iterations), seed=seed)


async def search(policy: Policy, state: State, relabels: float = 0.0) -> list[Assignment]:
    """Play to the end; every iteration is checked against what the seam asks for.

    relabels: how often an audit finds that a branch's code is another idea.
    """
    made: list[Assignment] = []
    while state.branches_left:
        state.iteration += 1
        planned = await policy.plan(state)
        if not planned:
            break
        fits(state, planned)
        for one in planned:
            state.add("assignments", one)
        attempts = [audited(state, measured(state, one), relabels) for one in planned]
        state.attempts.extend(attempts)
        state.done.append(len(planned))
        await policy.learn(state, attempts)
        made.extend(planned)
    ideas = [row for table, row, _ in state.rows if table == "ideas"]
    assert ideas == list(state.ideas.values())
    return made


def fits(state: State, planned: list[Assignment]) -> None:
    """What must hold of a plan."""
    first = sum(state.done) + 1
    assert [one.branch for one in planned] == list(range(first, first + len(planned)))
    assert len(planned) <= min(max(AT_ONCE, state.shares.branches), state.shares.total - sum(state.done))
    assert {one.iteration for one in planned} == {len(state.done) + 1}
    assert all(0 < parent < first for one in planned for parent in one.parents)
    ideas = [one.idea for one in planned if one.idea is not None]
    assert all(state.ideas[idea.id] == idea for idea in ideas)
    assert all(idea.id not in state.tried() for idea in ideas)
    assert len({idea.id for idea in ideas}) == len(ideas)


def measured(state: State, assignment: Assignment) -> Attempt:
    """A branch's attempt: worth what its idea and its parents are worth; some fail, some are discarded."""
    idea = assignment.idea
    named = " ".join(idea.techniques) + idea.title if idea else assignment.instruction
    draws = random.Random(f"{state.seed}/{named}/{assignment.branch}")
    begun = max((one.score or 0.0 for one in state.attempts if one.branch in assignment.parents), default=0.0)
    score = min(1.0, begun + 0.3 * draws.random())
    success, discarded = draws.random() > 0.2, draws.random() < 0.1
    name = None if idea is None else idea.id
    state.evidence[assignment.branch] = [ran(assignment.branch, score if success else None)]
    return Attempt(
        iteration=assignment.iteration,
        branch=assignment.branch,
        idea_id=name,
        assigned_idea_id=name,
        score=score if success else None,
        success=success,
        role=AttemptRole.DISCARDED if discarded else AttemptRole.ATTEMPT,
        audit_flags=(Flag.TRIVIAL,) if discarded else (),
        executions=state.shares.each,
        seconds=1.0,
        host="h",
    )


def audited(state: State, attempt: Attempt, relabels: float) -> Attempt:
    """The attempt, or the same for a new idea, which is put into the pool."""
    drawn = random.Random(f"{state.seed}/{attempt.branch}").random()
    if attempt.idea_id is None or not attempt.eligible or drawn >= relabels:
        return attempt
    assigned = state.ideas[attempt.idea_id]
    own = {"id": state.next_id(), "title": f"{assigned.title} after all", "iteration": state.iteration}
    state.welcome([assigned.model_copy(update=own)])
    new = {"idea_id": own["id"], "role": AttemptRole.RELABEL, "audit_flags": (Flag.IDEA_MISMATCH,)}
    return attempt.model_copy(update=new)


def ran(branch: int, score: float | None) -> Execution:
    right = score is not None
    verdict = End.RIGHT if right else End.WRONG
    return Execution(
        branch=branch, index=1, seeding=Seeding.SEARCH, solution="s", verdict=verdict, correct=right, score=score,
        why=None if right else "case 3 is wrong", started_at=0.0,
    )  # fmt: skip


def names(made: list[Assignment]) -> list[str]:
    """The ideas that were assigned, in order."""
    return [one.idea.id for one in made if one.idea is not None]


def sizes(made: list[Assignment]) -> list[int]:
    """Branches of each iteration."""
    return list(Counter(one.iteration for one in made).values())
