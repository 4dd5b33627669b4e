"""The scripted dispatcher: most branches to the best clusters and ideas, more so as the search goes on."""

from collections.abc import Callable
from random import Random

from actors.row import Row
from actors.scripted.chance import generator
from solvers.assignment import Action
from solvers.operators.choose import IdeaChoice, allowed, best_rank
from solvers.operators.dispatch import best_first, placed
from solvers.operators.operator import Payload

EXPLOITED = (0.6, 0.9)  # how often a branch exploits the ideas of its cluster, at the beginning and at the end
FIRST = (0.5, 0.75)  # the share of branches that the best cluster gets, at the beginning and at the end
CHILD = 0.1  # how often a child of a good parent is preferred to the best rank


def dispatch_clusters(payload: Payload, seed: int) -> Row:
    """The best cluster first, the others in turn; of two clusters or more, at least one is explored.

    In the first iteration nothing is known, so branches are dealt out evenly.
    """
    rng = generator("dispatch_clusters", seed)
    room = {row["index"]: row["unevaluated"] for row in best_first(payload)}
    done = len(payload["history"])
    late = done / max(1, done + payload["branches_left"])
    dealt = spread(room, payload["branches"], between(FIRST, late) if done else 0.0)
    used = [name for name in room if name in dealt]
    actions = {name: Action.EXPLORE if at and name == used[-1] else Action.EXPLOIT for at, name in enumerate(used)}
    often = between(EXPLOITED, late)
    shares = [(name, actions[name], [drawn(rng, often) for _ in range(dealt.count(name))]) for name in used]
    return placed(shares, payload, f"Most to cluster {used[0]}, which is ranked best; the others may overtake it.")


def between(ends: tuple[float, float], late: float) -> float:
    """From the first to the second, as the search goes from 0 to 1."""
    return ends[0] + (ends[1] - ends[0]) * late


def spread(room: dict[int, int], branches: int, share: float) -> list[int]:
    """The cluster of each branch: a share to the first, at least one to another, none beyond what a cluster holds."""
    first, *others = room
    most = max(1, branches - 1) if others else branches
    dealt = [first] * min(room[first], most, round(share * branches))
    while len(dealt) < branches:
        turn = [name for name in room if dealt.count(name) < room[name]]
        dealt.append(min(turn, key=dealt.count))
    return dealt


def drawn(rng: Random, exploit: float) -> Action:
    """Exploit with a probability, else explore."""
    return Action.EXPLOIT if rng.random() < exploit else Action.EXPLORE


def dispatch_idea(payload: Payload, seed: int) -> Row:
    """The best that the action allows; sometimes, exploiting, a child of a parent that scored well."""
    rng = generator("dispatch_idea", seed)
    best = best_rank(payload)
    children = [row for row in payload["candidates"] if row["parent_scores_well"] and row["rank"] != best]
    if payload["action"] == Action.EXPLOIT and children and rng.random() < CHILD:
        one = min(children, key=lambda row: row["rank"] or 0)
        why = f"Its parent {one['parent']['id']} scored {one['parent']['score']}."
        return IdeaChoice(idea_id=one["id"], deviation=why, rationale=why)
    one = allowed(payload)[0]
    rank = "unranked" if one["rank"] is None else f"rank {one['rank']} of {len(payload['candidates'])}"
    return IdeaChoice(idea_id=one["id"], rationale=f"{payload['action'] or 'picked'}: {rank}.")


RULES: dict[str, Callable[[Payload, int], Row]] = {
    "dispatch_clusters": dispatch_clusters,
    "dispatch_idea": dispatch_idea,
}
