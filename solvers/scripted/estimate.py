"""The scripted surrogate: ranks clusters and untried ideas by the evidence it is shown, and guesses where none is."""

from collections.abc import Callable, Hashable, Mapping
from statistics import fmean
from typing import TypeVar

from actors.row import Row
from actors.scripted.chance import generator
from solvers.operators.estimate import ClusterRank, ClusterRanks, IdeaRank, IdeaRanks, dense
from solvers.operators.operator import Payload

K = TypeVar("K", bound=Hashable)
PRIOR = 30.0  # what an idea is expected to score where nothing is known
DOUBT = 8.0  # standard deviation of a guess; all of these in points of a score x 100
STEP = 4.0  # what is closer than that is a tie
COMBINED = 3.0  # what each technique beyond the first is expected to add, up to a third
FAILURE = 2.0  # what each failure takes off


def estimate_clusters(payload: Payload, seed: int) -> Row:
    """Between best and mean, less for failures; a cluster without a score is guessed around the mean of the others."""
    rng = generator("estimate_clusters", seed)
    clusters = payload["clusters"]
    prior = fmean([one["mean"] for one in clusters if one["evaluated"]] or [PRIOR])
    worth: dict[int, float] = {}
    for one in clusters:
        guess = prior + DOUBT * rng.gauss()
        seen = (2 * one["best"] + one["mean"]) / 3 if one["evaluated"] else guess
        worth[one["index"]] = seen - FAILURE * one["failed"]
    return ClusterRanks(
        ranks=tuple(
            ClusterRank(cluster=index, rationale=f"About {worth[index]:.0f} is to be expected.", rank=rank)
            for index, rank in stepped(worth)
        )
    )


def estimate_ideas(payload: Payload, seed: int) -> Row:
    """Around the parent's score, or what is usual; more for a combination, less for a large one."""
    rng = generator("estimate_ideas", seed, payload["cluster"]["label"])
    worth: dict[str, float] = {}
    for idea in payload["ideas"]:
        start = PRIOR if idea["parent_score"] is None else idea["parent_score"]
        beyond = min(2, max(0, len(idea["techniques"]) - 1))
        worth[idea["id"]] = start + COMBINED * beyond + DOUBT / 2 * rng.gauss()
    return IdeaRanks(
        ranks=tuple(
            IdeaRank(idea_id=name, rationale=f"About {worth[name]:.0f} is to be expected.", rank=rank)
            for name, rank in stepped(worth)
        )
    )


def stepped(worth: Mapping[K, float]) -> list[tuple[K, int]]:
    """Dense ranks, ties where worth is about the same."""
    return dense({name: (float(round(value / STEP)),) for name, value in worth.items()})


RULES: dict[str, Callable[[Payload, int], Row]] = {
    "estimate_clusters": estimate_clusters,
    "estimate_ideas": estimate_ideas,
}
