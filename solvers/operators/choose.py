"""Dispatch, stage B: the idea that one branch works on, out of its cluster's unevaluated ideas.

Branches are decided one after the other, each with what earlier ones took. Exploit takes the best rank, or a child of
a parent that scored well, and then says why; explore takes any but the best rank (AIM, arXiv 2609.38445, dispatcher).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from solvers.assignment import Action, Assignment
from solvers.idea import Cluster, Rank
from solvers.operators.operator import Consult, Consulted, Operator, Payload
from solvers.operators.outcome import parent_view
from solvers.operators.said import Said
from solvers.operators.views import Shown, idea_view, lessons_view, task_view
from solvers.state import State


class IdeaChoice(Said):
    """Stage B's reply. deviation: why it is not the idea that the action would take, None or "" where it is."""

    idea_id: str
    deviation: str | None = None
    rationale: str = ""


@dataclass(frozen=True)
class Place:
    """Where stage A puts a branch. asked: the action that it wants on ideas; fallback: it was put there by rule."""

    branch: int
    cluster: Cluster
    cluster_action: Action | None
    asked: Action | None
    first: bool
    fallback: bool

    @property
    def done(self) -> Action | None:
        """What is done with ideas: in the first iteration they are exploited."""
        return Action.EXPLOIT if self.first and self.asked is not None else self.asked


def best_rank(payload: Payload) -> int | None:
    """The best rank among the candidates; None where they have none."""
    return min((row["rank"] for row in payload["candidates"] if row["rank"] is not None), default=None)


def problem(reply: IdeaChoice, payload: Payload) -> str:
    """Whether the idea is a candidate, and one that the action allows."""
    candidates = {row["id"]: row for row in payload["candidates"]}
    row = candidates.get(reply.idea_id)
    if row is None:
        return f"{reply.idea_id!r} is none of the candidates: {', '.join(candidates)}"
    best = row["rank"] == best_rank(payload)
    all_tie = len({row["rank"] for row in candidates.values()}) == 1
    if payload["action"] == Action.EXPLORE and best and not all_tie:
        return f"{reply.idea_id} has the best rank; exploring means to take one of the others"
    if payload["action"] == Action.EXPLOIT and not best:
        if not row["parent_scores_well"]:
            return f"{reply.idea_id} has neither the best rank nor a parent that scored well, so it is no exploitation"
        if not (reply.deviation or "").strip():
            return f"{reply.idea_id} does not have the best rank; `deviation` must say why it is taken nevertheless"
    return ""


def fallback(payload: Payload) -> IdeaChoice:
    """The best rank, the first of equals; exploring, the best of the other ranks."""
    return IdeaChoice(idea_id=allowed(payload)[0]["id"], rationale="by rank")


def allowed(payload: Payload) -> list[Shown]:
    """The candidates that need no deviation, by rank, those of one rank in the order of the pool."""
    rows = sorted(payload["candidates"], key=lambda row: row["rank"] or 0)
    best = best_rank(payload)
    others = [row for row in rows if row["rank"] != best]
    if payload["action"] == Action.EXPLORE and others:
        return others
    return [row for row in rows if row["rank"] == best] if payload["action"] == Action.EXPLOIT else rows


DISPATCH_IDEA = Operator("dispatch_idea", IdeaChoice, problem, fallback)


async def choose(
    consult: Consult, state: State, place: Place, ranks: Sequence[Rank], taken: Sequence[Assignment]
) -> Assignment:
    """The assignment of one branch. The model is not asked where a cluster has a single idea left."""
    payload = idea_payload(state, place, ranks, taken)
    if len(payload["candidates"]) > 1:
        said = await consult(DISPATCH_IDEA, payload, f"{state.iteration:02d}.dispatch.b{place.branch:02d}")
    else:
        only = IdeaChoice(idea_id=payload["candidates"][0]["id"], rationale="the only unevaluated idea of its cluster")
        said = Consulted(only, fallback=False)
    row = next(row for row in payload["candidates"] if row["id"] == said.reply.idea_id)
    idea = state.ideas[said.reply.idea_id]
    deviates = place.done is not Action.EXPLORE and row["rank"] != best_rank(payload)
    return Assignment(
        branch=place.branch,
        iteration=state.iteration,
        operator="dispatch",
        idea=idea,
        parents=state.parents_of(idea),
        cluster=place.cluster.index,
        cluster_action=place.cluster_action,
        idea_action_asked=place.asked,
        idea_action_done=place.done,
        rank=row["rank"],
        of=len(payload["candidates"]) if row["rank"] is not None else None,
        deviation=(said.reply.deviation or "").strip() or None if deviates else None,
        rationale=said.reply.rationale,
        fallback=place.fallback or said.fallback,
    )


def idea_payload(state: State, place: Place, ranks: Sequence[Rank], taken: Sequence[Assignment]) -> Shown:
    """What stage B is shown. Ranks are among the candidates: dense again, without what earlier branches took."""
    gone = state.tried() | {one.idea.id for one in taken if one.idea is not None}
    waiting = [name for name in place.cluster.idea_ids if name not in gone]
    own = {one.idea_id: one for one in ranks if one.cluster == place.cluster.index and one.idea_id in waiting}
    dense = {rank: at for at, rank in enumerate(sorted({one.rank for one in own.values()}), 1)}
    cluster_rank = next((one.rank for one in ranks if one.cluster == place.cluster.index and one.idea_id is None), None)
    good = scores_well(state)
    return {
        "task": task_view(state),
        "iteration": state.iteration,
        "branch": place.branch,
        "cluster": {
            "index": place.cluster.index,
            "label": place.cluster.label,
            "theme": place.cluster.theme,
            "rank": cluster_rank,
            "action": place.cluster_action and place.cluster_action.value,
        },
        "action": place.done and place.done.value,
        "candidates": [
            {
                **idea_view(state.ideas[name]),
                "rank": dense[own[name].rank] if name in own else len(dense) + 1 if own else None,
                "estimate": own[name].rationale if name in own else "",
                "parent": parent_view(state, state.ideas[name]),
                "parent_scores_well": state.ideas[name].parent_id in good,
            }
            for name in waiting
        ],
        "taken": [
            {"branch": one.branch, "cluster": one.cluster, "idea_id": one.idea.id, "title": one.idea.title}
            for one in taken
            if one.idea is not None
        ],
        "lessons": lessons_view(state),
    }


def scores_well(state: State) -> set[str]:
    """Ideas that scored well: above 0, and no less than the median of all ideas that have a score."""
    bests = {name: best.score or 0.0 for name in state.ideas if (best := state.best_of(name))}
    middle = median(bests.values()) if bests else 0.0
    return {name for name, score in bests.items() if score > 0 and score >= middle}
