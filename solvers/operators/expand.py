"""Expand: new ideas for the pool from what one branch found, of four kinds (AIM, arXiv 2609.38445, expansion).

fix_error of a branch that failed, push_score of one that did not, cross_pollinate with one sibling of the iteration or
the idea of one lesson, new_idea without a parent. What breaks a rule is dropped and counted; the rest stands.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import BeforeValidator, Field

from actors.row import Row
from solvers.attempt import Attempt, AttemptRole, Execution
from solvers.idea import Abstract, Cluster, Idea, Kind, Source
from solvers.operators.operator import Consult, Operator, Payload
from solvers.operators.outcome import attempt_view, clusters_view
from solvers.operators.said import Said
from solvers.operators.views import Shown, idea_view, lessons_view, measured_view, normal, standing, task_view
from solvers.state import State
from solvers.together import together

KINDS = (Kind.FIX_ERROR, Kind.PUSH_SCORE, Kind.CROSS_POLLINATE, Kind.NEW_IDEA)
ALIASES = {"fix_failure": "fix_error", "inject_fresh": "new_idea"}  # as the published records' replies say


def known_as(kind: object) -> object:
    """A kind by the name that rows have."""
    return ALIASES.get(kind, kind) if isinstance(kind, str) else kind


KindSaid = Annotated[str, BeforeValidator(known_as), Field(json_schema_extra={"enum": [kind.value for kind in KINDS]})]
"""Endpoints are told the four; another one drops its proposal, not the reply."""
Phrase = Annotated[str, Field(max_length=2000)]


class Trial(Said):
    """An experiment as a model writes it."""

    hypothesis: str
    steps: tuple[str, ...]


class Proposal(Said):
    """A new idea as a model writes it. sibling_referenced, lesson_context_idea: of a cross_pollinate, one of them."""

    kind: KindSaid
    title: Phrase
    short_hypothesis: Phrase
    abstract: Abstract
    experiments: tuple[Trial, ...] = ()
    risks: str = ""
    techniques: tuple[str, ...] = ()
    sibling_referenced: str | None = None
    lesson_context_idea: str | None = None


class Proposals(Said):
    """The reply; an empty one says that nothing is worth proposing."""

    proposals: tuple[Proposal, ...]


class Expansion(Row):
    """What became of one branch's proposals: a row of the table ``expansions``. proposed = kept + dropped."""

    iteration: int
    branch: int
    proposed: int
    kept: int
    dropped: int
    fallback: bool


@dataclass(frozen=True)
class Expanded:
    """A branch's new ideas, without ids yet, and how many proposals broke a rule."""

    ideas: tuple[Idea, ...] = ()
    dropped: int = 0
    fallback: bool = False


def sieve(reply: Proposals, payload: Payload) -> tuple[list[Proposal], list[str]]:
    """The proposals that may stand, cleaned; and why each of the others may not."""
    kept: list[Proposal] = []
    dropped: list[str] = []
    known = [name for name, _ in payload["task"]["techniques"]]
    titles = {normal(row["title"]) for row in payload["pool"]}
    for said in reply.proposals:
        one = said.model_copy(update={"techniques": tuple(t for t in dict.fromkeys(said.techniques) if t in known)})
        why = misfit(one, payload)
        if not why and normal(one.title) in titles:
            why = f"{one.title!r} is in the pool already"
        if not why and one.kind in {other.kind for other in kept}:
            why = f"there is more than one {one.kind}"
        if why:
            dropped.append(why)
        else:
            kept.append(one)
            titles.add(normal(one.title))
    return kept, dropped


def misfit(one: Proposal, payload: Payload) -> str:
    """Why a proposal cannot stand whatever the others are; "" where it can."""
    if one.kind not in payload["kinds"]:
        return f"kind {one.kind!r} is none of {', '.join(payload['kinds'])}"
    if not one.title.strip() or not one.short_hypothesis.strip():
        return f"a {one.kind} has no title or no short_hypothesis"
    if payload["task"]["techniques"] and not one.techniques:
        return f"{one.title!r} names no technique of the list"
    if one.kind != Kind.CROSS_POLLINATE:
        return ""
    sibling, lesson = one.sibling_referenced or None, one.lesson_context_idea or None
    if (sibling is None) == (lesson is None):
        return f"{one.title!r} must name one sibling or one lesson's idea, and not both"
    if sibling is not None and sibling not in {row["idea_id"] for row in payload["siblings"]}:
        return f"{sibling!r} is no sibling of this iteration"
    if lesson is not None and lesson not in {row["context_idea"] for row in payload["lessons"]} - {
        payload["idea"]["id"]
    }:
        return f"{lesson!r} is the context_idea of no lesson, or is the idea itself"
    return ""


def problem(reply: Proposals, payload: Payload) -> str:
    """Nothing that can be used, though something was proposed."""
    kept, dropped = sieve(reply, payload)
    return dropped[0] if dropped and not kept else ""


def fallback(payload: Payload) -> Proposals:
    """The idea once more: repaired where it failed, else from its best code on; none where it builds nothing."""
    idea, attempt = payload["idea"], payload["attempt"]
    known = {name for name, _ in payload["task"]["techniques"]}
    names = tuple(name for name in idea["techniques"] if name in known)
    if known and not names:
        return Proposals(proposals=())
    fixed = Kind.FIX_ERROR in payload["kinds"]
    title = f"{idea['title'].split(' (after branch')[0][:1900]} (after branch {attempt['branch']})"
    why = "its error is mended" if fixed else "its details are tuned"
    one = Proposal(
        kind=Kind.FIX_ERROR if fixed else Kind.PUSH_SCORE,
        title=title,
        short_hypothesis=f"The same idea scores more once {why}.",
        abstract=idea["abstract"],
        techniques=names,
    )
    reply = Proposals(proposals=(one,))
    return Proposals(proposals=()) if problem(reply, payload) else reply


EXPAND = Operator("expand", Proposals, problem, fallback)


async def expand(
    consult: Consult, state: State, attempt: Attempt, clusters: Sequence[Cluster], evidence: Sequence[Execution] = ()
) -> Expanded:
    """One branch's new ideas; none where it has no idea of the pool. `State.attempts` holds its siblings by then."""
    idea = state.ideas.get(attempt.idea_id or "")
    if idea is None:
        return Expanded()
    payload = expand_payload(state, idea, attempt, clusters, evidence)
    said = await consult(EXPAND, payload, f"{state.iteration:02d}.expand.b{attempt.branch:02d}")
    kept, dropped = sieve(said.reply, payload)
    return Expanded(tuple(_idea(one, idea, state.iteration) for one in kept), len(dropped), said.fallback)


async def expand_all(
    consult: Consult,
    state: State,
    attempts: Sequence[Attempt],
    clusters: Sequence[Cluster],
    evidence: Mapping[int, Sequence[Execution]] = {},
) -> list[Idea]:
    """The new ideas of all branches that were not discarded, asked for at once, with ids in order of branch.

    The caller welcomes them. An idea that an earlier branch has proposed is dropped. All have ended when this does,
    even where one raises; that the run has stopped goes before whatever else was raised.
    """
    counted = sorted((one for one in attempts if one.role is not AttemptRole.DISCARDED), key=lambda one: one.branch)
    ended = await together(expand(consult, state, one, clusters, evidence.get(one.branch, ())) for one in counted)
    found: list[Idea] = []
    titles: set[str] = set()
    for attempt, expanded in zip(counted, ended, strict=True):
        own = [one for one in expanded.ideas if normal(one.title) not in titles]
        titles |= {normal(one.title) for one in own}
        first = len(state.ideas) + len(found) + 1
        found += [one.model_copy(update={"id": f"i{at:03d}"}) for at, one in enumerate(own, first)]
        proposed = len(expanded.ideas) + expanded.dropped
        state.add("expansions", Expansion(
            iteration=state.iteration, branch=attempt.branch, proposed=proposed, kept=len(own),
            dropped=proposed - len(own), fallback=expanded.fallback,
        ))  # fmt: skip
    return found


def expand_payload(
    state: State, idea: Idea, attempt: Attempt, clusters: Sequence[Cluster], evidence: Sequence[Execution]
) -> Shown:
    """What expand is shown. measured: for rules alone; pool: titles of all ideas, none of which may come again."""
    best, worst = standing(state)
    siblings = [
        one
        for one in state.counted
        if one.iteration == attempt.iteration and one.idea_id in state.ideas.keys() - {attempt.idea_id}
    ]
    first = Kind.PUSH_SCORE if attempt.success else Kind.FIX_ERROR
    return {
        "task": task_view(state),
        "iteration": state.iteration,
        "idea": idea_view(idea),
        "attempt": attempt_view(state, attempt, evidence),
        "kinds": [first.value, Kind.CROSS_POLLINATE.value, Kind.NEW_IDEA.value],
        "siblings": [attempt_view(state, one) for one in siblings],
        "clusters": clusters_view(state, clusters, {}),
        "own_cluster": next((one.index for one in clusters if idea.id in one.idea_ids), None),
        "best": best,
        "worst": worst,
        "lessons": lessons_view(state),
        "measured": measured_view(state),
        "pool": [
            {"id": one.id, "title": one.title, "techniques": list(one.techniques)} for one in state.ideas.values()
        ],
    }


def _idea(one: Proposal, parent: Idea, iteration: int) -> Idea:
    """The proposal as an idea without an id: a new_idea has no parent, and only a cross_pollinate another source."""
    kind = Kind(one.kind)
    crossed = kind is Kind.CROSS_POLLINATE
    return Idea(
        id="",
        source=Source.FRESH_INJECT if kind is Kind.NEW_IDEA else Source.REFINED,
        kind=kind,
        iteration=iteration,
        parent_id=None if kind is Kind.NEW_IDEA else parent.id,
        sibling_referenced=one.sibling_referenced or None if crossed else None,
        lesson_context_idea=one.lesson_context_idea or None if crossed else None,
        **one.model_dump(exclude={"kind", "sibling_referenced", "lesson_context_idea"}),
    )
