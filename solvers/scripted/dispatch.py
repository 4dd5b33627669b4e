"""The scripted dispatcher: half of the branches to the best cluster, the others where chance has it, and legally so."""

from collections.abc import Callable
from random import Random

from actors.row import Row
from actors.scripted.chance import generator
from solvers.assignment import Action
from solvers.operators.choose import IdeaChoice, allowed, best_rank
from solvers.operators.dispatch import best_first, placed
from solvers.operators.operator import Payload

TRUST = 0.75  # how often the best cluster is exploited; the others half as often
BEST_IDEA = 0.6  # how often a branch exploits the ideas of its cluster
CHILD = 0.25  # how often a child of a good parent is preferred to the best rank


def dispatch_clusters(payload: Payload, seed: int) -> Row:
    """Of two clusters or more, at least two get branches where there are two, and at least one is explored."""
    rng = generator("dispatch_clusters", seed)
    room = {row["index"]: row["unevaluated"] for row in best_first(payload)}
    dealt = spread(room, payload["branches"], rng)
    used = [name for name in room if name in dealt]
    actions = {name: drawn(rng, TRUST / (1 if at == 0 else 2)) for at, name in enumerate(used)}
    if used[1:] and Action.EXPLORE not in actions.values():
        actions[used[-1]] = Action.EXPLORE
    shares = [(name, actions[name], [drawn(rng, BEST_IDEA) for _ in range(dealt.count(name))]) for name in used]
    return placed(shares, payload, f"Half to cluster {used[0]}, which is ranked best; the others may overtake it.")


def spread(room: dict[int, int], branches: int, rng: Random) -> list[int]:
    """The cluster of each branch: half to the first, at least one to another, none beyond what a cluster holds."""
    first, *others = room
    dealt = [first] * min(room[first], (branches + 1) // 2)
    while len(dealt) < branches:
        open_ones = [name for name in others if dealt.count(name) < room[name]]
        dealt.append(rng.choice(open_ones) if open_ones else first)
    return dealt


def drawn(rng: Random, exploit: float) -> Action:
    """Exploit with a probability, else explore."""
    return Action.EXPLOIT if rng.random() < exploit else Action.EXPLORE


def dispatch_idea(payload: Payload, seed: int) -> Row:
    """Any idea that the action allows; sometimes, exploiting, a child of a parent that scored well."""
    rng = generator("dispatch_idea", seed)
    best = best_rank(payload)
    children = [row for row in payload["candidates"] if row["parent_scores_well"] and row["rank"] != best]
    if payload["action"] == Action.EXPLOIT and children and rng.random() < CHILD:
        one = rng.choice(children)
        why = f"Its parent {one['parent']['id']} scored {one['parent']['score']}."
        return IdeaChoice(idea_id=one["id"], deviation=why, rationale=why)
    one = rng.choice(allowed(payload))
    rank = "unranked" if one["rank"] is None else f"rank {one['rank']} of {len(payload['candidates'])}"
    return IdeaChoice(idea_id=one["id"], rationale=f"{payload['action'] or 'picked'}: {rank}.")


RULES: dict[str, Callable[[Payload, int], Row]] = {
    "dispatch_clusters": dispatch_clusters,
    "dispatch_idea": dispatch_idea,
}
