"""Dispatch: which clusters the next branches go to, whether to explore or exploit there, and with which ideas.

This file is stage A, clusters and actions for all branches at once; stage B, one idea a branch, is in choose.py.
Source: AIM (arXiv 2609.38445), its dispatcher: cluster-level and idea-level actions, decided in two stages.
"""

from collections.abc import Mapping, Sequence

from solvers.assignment import Action, Assignment
from solvers.idea import Cluster, Rank
from solvers.operators.choose import Place, choose
from solvers.operators.operator import Consult, Operator, Payload
from solvers.operators.outcome import clusters_view, history
from solvers.operators.said import Said
from solvers.operators.views import Shown, lessons_view, standing, task_view
from solvers.state import State


class ClusterShare(Said):
    """How many branches a cluster gets; the action is None where none is asked for."""

    cluster: int
    action: Action | None = None
    n_branches: int


class BranchPlace(Said):
    """One branch: its cluster, the cluster's action again, and what is to be done with the cluster's ideas."""

    cluster: int
    cluster_action: Action | None = None
    idea_action: Action | None = None


class ClusterDispatch(Said):
    """Stage A's reply: every cluster once at most, and then one entry a branch."""

    rationale: str
    clusters: tuple[ClusterShare, ...]
    branches: tuple[BranchPlace, ...]


def problem(reply: ClusterDispatch, payload: Payload) -> str:
    """What is wrong: counts first, then the single branches, then that all branches do the same."""
    return _miscounted(reply, payload) or _misplaced(reply, payload) or _one_sided(reply, payload)


def _miscounted(reply: ClusterDispatch, payload: Payload) -> str:
    room = _room(payload)
    seen: set[int] = set()
    for share in reply.clusters:
        if share.cluster in seen:
            return (
                f"`clusters` holds cluster {share.cluster} more than once; every cluster may stand there once at most"
            )
        seen.add(share.cluster)
        if share.cluster not in room:
            return f"there is no cluster {share.cluster}; the clusters are {', '.join(map(str, room))}"
        if not 0 <= share.n_branches <= room[share.cluster]:
            left = room[share.cluster]
            return f"cluster {share.cluster} has {left} unevaluated ideas, so n_branches cannot be {share.n_branches}"
    total = sum(share.n_branches for share in reply.clusters)
    if total != payload["branches"]:
        return f"n_branches add up to {total}; they must add up to exactly {payload['branches']}"
    if len(reply.branches) != payload["branches"]:
        return f"`branches` holds {len(reply.branches)} entries; it must hold exactly {payload['branches']}"
    return ""


def _misplaced(reply: ClusterDispatch, payload: Payload) -> str:
    shares = {share.cluster: share for share in reply.clusters if share.n_branches}
    for name, share in shares.items():
        there = sum(branch.cluster == name for branch in reply.branches)
        if there != share.n_branches:
            return f"`branches` has {there} entries for cluster {name}, but its n_branches is {share.n_branches}"
        if payload["actions"] and share.action is None:
            return f"cluster {name} has no action; it must be explore or exploit"
    for at, branch in enumerate(reply.branches, 1):
        if not payload["actions"]:
            continue
        if branch.cluster_action is not shares[branch.cluster].action:
            return f"entry {at} of `branches` has another cluster_action than its cluster {branch.cluster}"
        if branch.idea_action is None:
            return f"entry {at} of `branches` has no idea_action; it must be explore or exploit"
    return ""


def _one_sided(reply: ClusterDispatch, payload: Payload) -> str:
    """All branches in one cluster, or no cluster explored, where there is a choice."""
    holding = sum(untried > 0 for untried in _room(payload).values())
    if not payload["actions"] or payload["branches"] < 2 or holding < 2:
        return ""
    used = [share for share in reply.clusters if share.n_branches]
    if len(used) == 1:
        return f"all branches go to cluster {used[0].cluster}; give at least one to another cluster"
    if all(share.action is Action.EXPLOIT for share in used):
        return "every cluster is exploited; explore at least one that gets branches"
    return ""


def fallback(payload: Payload) -> ClusterDispatch:
    """Branches are dealt out one by one, the best cluster first; the last of several clusters is explored.

    Within a cluster the first branch exploits, the others explore.
    """
    room = {row["index"]: row["unevaluated"] for row in best_first(payload)}
    dealt: list[int] = []
    while len(dealt) < payload["branches"]:
        dealt += [name for name, untried in room.items() if dealt.count(name) < untried][
            : payload["branches"] - len(dealt)
        ]
    used = [name for name in room if name in dealt]
    actions = {name: Action.EXPLORE if used[1:] and name == used[-1] else Action.EXPLOIT for name in used}
    shares = [
        (name, actions[name], [Action.EXPLORE if at else Action.EXPLOIT for at in range(dealt.count(name))])
        for name in used
    ]
    return placed(shares, payload, "dealt out in order of rank")


def placed(shares: Sequence[tuple[int, Action, Sequence[Action]]], payload: Payload, rationale: str) -> ClusterDispatch:
    """A reply of clusters with their actions and those of their branches; without actions where none are used."""
    on = payload["actions"]
    return ClusterDispatch(
        rationale=rationale,
        clusters=tuple(
            ClusterShare(cluster=name, action=action if on else None, n_branches=len(own))
            for name, action, own in shares
        ),
        branches=tuple(
            BranchPlace(cluster=name, cluster_action=action if on else None, idea_action=one if on else None)
            for name, action, own in shares
            for one in own
        ),
    )


def best_first(payload: Payload) -> list[Shown]:
    """The clusters that hold unevaluated ideas, the best rank first; those without a rank last."""
    holding = [row for row in payload["clusters"] if row["unevaluated"] > 0]
    return sorted(holding, key=lambda row: (row["rank"] is None, row["rank"] or 0, row["index"]))


DISPATCH_CLUSTERS = Operator("dispatch_clusters", ClusterDispatch, problem, fallback)


async def dispatch(
    consult: Consult,
    state: State,
    clusters: Sequence[Cluster],
    ranks: Sequence[Rank],
    branches: int,
    first: bool,
    actions: bool = True,
) -> list[Assignment]:
    """One assignment a branch: ``branches`` of them, fewer where the pool holds fewer unevaluated ideas.

    first: it is the first iteration, in which ideas are exploited whatever is asked. actions: False is AIM's ablation
    without them: picks from the ranked map.
    """
    tried = state.tried()
    waiting = {one.index: [name for name in one.idea_ids if name not in tried] for one in clusters}
    count = min(branches, sum(map(len, waiting.values())))
    if count < 1:
        return []
    payload = clusters_payload(state, clusters, ranks, count, first, actions)
    asked = await consult(DISPATCH_CLUSTERS, payload, f"{state.iteration:02d}.dispatch")
    by_index = {one.index: one for one in clusters}
    taken: list[Assignment] = []
    for branch, place in enumerate(asked.reply.branches, sum(state.done) + 1):
        cluster = by_index[place.cluster]
        on: Place = Place(
            branch=branch,
            cluster=cluster,
            cluster_action=place.cluster_action if actions else None,
            asked=place.idea_action if actions else None,
            first=first,
            fallback=asked.fallback,
        )
        taken.append(await choose(consult, state, on, ranks, taken))
    return taken


def clusters_payload(
    state: State, clusters: Sequence[Cluster], ranks: Sequence[Rank], branches: int, first: bool, actions: bool
) -> Shown:
    """What stage A is shown."""
    best, worst = standing(state)
    return {
        "task": task_view(state),
        "iteration": state.iteration,
        "branches": branches,
        "branches_left": state.branches_left,
        "first": first,
        "actions": actions,
        "ranked": bool(ranks),
        "clusters": clusters_view(state, clusters, {one.cluster: one.rank for one in ranks if one.idea_id is None}),
        "history": history(state),
        "best": best,
        "worst": worst,
        "lessons": lessons_view(state),
    }


def _room(payload: Payload) -> Mapping[int, int]:
    """How many unevaluated ideas each cluster holds."""
    return {row["index"]: row["unevaluated"] for row in payload["clusters"]}
