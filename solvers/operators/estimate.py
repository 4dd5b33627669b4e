"""Estimate: clusters by how much they still promise, then the untried ideas of each (AIM, surrogate estimation).

Ranks are dense and ordinal, 1 the best, ties allowed: the ranks of n things are exactly 1 to some number. Where there
is one thing to rank, nobody is asked. Fallbacks go by scores alone.
"""

import math
from collections.abc import Hashable, Mapping, Sequence
from statistics import fmean
from typing import TypeVar

from solvers.idea import Cluster, Idea, Rank
from solvers.operators.operator import Consult, Operator, Payload
from solvers.operators.organize import Name
from solvers.operators.said import Said
from solvers.operators.views import Shown, idea_view, lessons_view, measured_view, percent, task_view
from solvers.state import State
from solvers.together import together

K = TypeVar("K", bound=Hashable)


class ClusterRank(Said):
    """One cluster's rank in a reply. cluster: its index."""

    cluster: int
    rationale: str
    rank: int


class ClusterRanks(Said):
    """The reply of the first stage."""

    ranks: tuple[ClusterRank, ...]


class IdeaRank(Said):
    """One idea's rank in a reply."""

    idea_id: Name
    rationale: str
    rank: int


class IdeaRanks(Said):
    """The reply of the second stage, for one cluster."""

    ranks: tuple[IdeaRank, ...]


def not_dense(said: Sequence[tuple[K, int]], asked: Sequence[K], what: str) -> str:
    """Why ranks cannot stand: each thing asked for once, and no rank left out."""
    if sorted(map(str, asked)) != sorted(str(name) for name, _ in said):
        return f"each of the {what} {', '.join(map(str, asked))} needs exactly one rank, and nothing else has one"
    ranks = sorted({rank for _, rank in said})
    if ranks != list(range(1, len(ranks) + 1)):
        return f"ranks are dense, 1, 2, 3 and so on with ties but without gaps; they were {', '.join(map(str, ranks))}"
    return ""


def clusters_not_ranked(reply: ClusterRanks, payload: Payload) -> str:
    """Why the first stage's reply cannot stand."""
    asked = [one["index"] for one in payload["clusters"]]
    return not_dense([(one.cluster, one.rank) for one in reply.ranks], asked, "clusters")


def ideas_not_ranked(reply: IdeaRanks, payload: Payload) -> str:
    """Why the second stage's reply cannot stand."""
    asked = [one["id"] for one in payload["ideas"]]
    return not_dense([(one.idea_id, one.rank) for one in reply.ranks], asked, "ideas")


def dense(worth: Mapping[K, tuple[float, ...]]) -> list[tuple[K, int]]:
    """Ranks by worth, the greatest first; equal worth, equal rank."""
    places = {value: rank for rank, value in enumerate(sorted(set(worth.values()), reverse=True), 1)}
    return [(name, places[value]) for name, value in worth.items()]


def clusters_by_score(payload: Payload) -> ClusterRanks:
    """By best score, then mean; those never measured share a place in the middle, those that only failed the last."""
    scored = {one["index"]: (one["best"], one["mean"]) for one in payload["clusters"] if one["evaluated"]}
    places = sorted(set(scored.values()), reverse=True)
    better = places[: (len(places) + 1) // 2]
    unknown = {one["index"]: (0.0 if one["failed"] else 2.0,) for one in payload["clusters"] if not one["evaluated"]}
    known = {index: (3.0 if key in better else 1.0, *key) for index, key in scored.items()}
    ranks = [ClusterRank(cluster=one, rationale="By score.", rank=rank) for one, rank in dense({**unknown, **known})]
    return ClusterRanks(ranks=tuple(ranks))


def ideas_by_parent(payload: Payload) -> IdeaRanks:
    """By the parent's score, then by arrival; those without a parent that scored come last."""
    scores = ((one["id"], one["parent_score"]) for one in payload["ideas"])
    worth = {name: (-math.inf if score is None else score, -at) for at, (name, score) in enumerate(scores)}
    ranks = [IdeaRank(idea_id=one, rationale="By its parent's score.", rank=rank) for one, rank in dense(worth)]
    return IdeaRanks(ranks=tuple(ranks))


ESTIMATE_CLUSTERS = Operator("estimate_clusters", ClusterRanks, clusters_not_ranked, clusters_by_score)
ESTIMATE_IDEAS = Operator("estimate_ideas", IdeaRanks, ideas_not_ranked, ideas_by_parent)


async def estimate(consult: Consult, state: State, clusters: Sequence[Cluster], lessons: bool) -> list[Rank]:
    """Ranks of all clusters, then of their untried ideas, kept in the table; the ideas of all clusters at once.

    lessons: whether the first stage sees them.
    """
    ranks = await cluster_ranks(consult, state, clusters, lessons)
    pairs = zip(clusters, ranks, strict=True)
    for own in await together(idea_ranks(consult, state, cluster, rank) for cluster, rank in pairs):
        ranks += own
    return kept(state, ranks)


async def cluster_ranks(consult: Consult, state: State, clusters: Sequence[Cluster], lessons: bool) -> list[Rank]:
    """The first stage: a rank per cluster, in the clusters' order."""
    if len(clusters) < 2:
        return [row(cluster, None, 1, 1, "The only cluster.") for cluster in clusters]
    payload = {
        "task": task_view(state),
        "iteration": state.iteration,
        "clusters": [cluster_view(state, cluster) for cluster in clusters],
        "lessons": lessons_view(state) if lessons else [],
    }
    said = await consult(ESTIMATE_CLUSTERS, payload, f"{state.iteration:02d}.estimate")
    by_index = {one.cluster: one for one in said.reply.ranks}
    pairs = ((cluster, by_index[cluster.index]) for cluster in clusters)
    return [row(cluster, None, one.rank, len(clusters), one.rationale, said.fallback) for cluster, one in pairs]


async def idea_ranks(consult: Consult, state: State, cluster: Cluster, own: Rank) -> list[Rank]:
    """The second stage: a rank per untried idea of a cluster, in order of arrival. own: the cluster's."""
    ideas = untried(state, cluster)
    if len(ideas) < 2:
        return [row(cluster, idea.id, 1, 1, "The only untried idea of its cluster.") for idea in ideas]
    payload = {
        "task": task_view(state),
        "iteration": state.iteration,
        "cluster": {"label": cluster.label, "theme": cluster.theme, "rank": own.rank, "of": own.of},
        "ideas": [candidate_view(state, idea) for idea in ideas],
        "measured": measured_view(state),
    }
    said = await consult(ESTIMATE_IDEAS, payload, f"{state.iteration:02d}.estimate.c{cluster.index}")
    by_id = {one.idea_id: one for one in said.reply.ranks}
    pairs = ((idea.id, by_id[idea.id]) for idea in ideas)
    return [row(cluster, name, one.rank, len(ideas), one.rationale, said.fallback) for name, one in pairs]


def cluster_view(state: State, cluster: Cluster) -> Shown:
    """A cluster and its evidence. evaluated: ideas with a score; failed: tried, without one; best, mean: of scores."""
    scores = [best.score for name in cluster.idea_ids if (best := state.best_of(name)) and best.score is not None]
    counted = {one.idea_id for one in state.counted} & set(cluster.idea_ids)
    return {
        **cluster.model_dump(mode="json", include={"index", "label", "theme"}),
        "ideas": len(cluster.idea_ids),
        "evaluated": len(scores),
        "failed": len(counted) - len(scores),
        "untried": len(untried(state, cluster)),
        "best": percent(max(scores)) if scores else None,
        "mean": percent(fmean(scores)) if scores else None,
    }


def candidate_view(state: State, idea: Idea) -> Shown:
    """An untried idea, with its parent's title, techniques and best score: the evidence there is on it alone."""
    parent = state.ideas.get(idea.parent_id or "")
    best = state.best_of(parent.id) if parent else None
    return {
        **idea_view(idea),
        "parent_title": parent.title if parent else None,
        "parent_techniques": list(parent.techniques) if parent else [],
        "parent_score": percent(best.score) if best else None,
    }


def untried(state: State, cluster: Cluster) -> list[Idea]:
    """The ideas of a cluster that no branch has worked on, in order of arrival."""
    return [idea for idea in state.untried() if idea.id in cluster.idea_ids]


def row(cluster: Cluster, idea_id: str | None, rank: int, of: int, why: str = "", fallback: bool = False) -> Rank:
    """A rank as it is kept."""
    return Rank(
        iteration=cluster.iteration,
        cluster=cluster.index,
        idea_id=idea_id,
        rank=rank,
        of=of,
        rationale=why,
        fallback=fallback,
    )


def kept(state: State, ranks: list[Rank]) -> list[Rank]:
    """The ranks, put into the table."""
    for rank in ranks:
        state.add("ranks", rank)
    return ranks
