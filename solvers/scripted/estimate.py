"""The scripted surrogate: ranks clusters and untried ideas by the evidence it is shown, and guesses where none is."""

from collections.abc import Callable, Hashable, Mapping
from statistics import fmean
from typing import TypeVar

from actors.row import Row
from actors.scripted.chance import generator
from solvers.operators.estimate import ClusterRank, ClusterRanks, IdeaRank, IdeaRanks, dense
from solvers.operators.operator import Payload
from solvers.scripted.effects import PRIOR, effects_of
from solvers.scripted.techniques import combined

K = TypeVar("K", bound=Hashable)
DOUBT = 8.0  # standard deviation of a guess at a cluster; all of these in points of a score x 100
STEP = 4.0  # what is closer than that is a tie
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
    """By the parent's score, where it has one, and by what its techniques and others have brought elsewhere."""
    rng = generator("estimate_ideas", seed, payload["cluster"]["label"])
    task = payload["task"]
    effects = effects_of(payload["measured"], task)
    worth: dict[str, float] = {}
    for idea in payload["ideas"]:
        names = combined(idea["techniques"], task)
        worth[idea["id"]] = effects.predicted(names) + rng.random()
        if idea["parent_score"] is not None:
            gain = effects.change(combined(idea["parent_techniques"], task), names)
            worth[idea["id"]] = (worth[idea["id"]] + idea["parent_score"] + gain) / 2
    return IdeaRanks(
        ranks=tuple(
            IdeaRank(idea_id=name, rationale=f"About {worth[name]:.0f} is to be expected.", rank=rank)
            for name, rank in dense({name: (value,) for name, value in worth.items()})
        )
    )


def stepped(worth: Mapping[K, float]) -> list[tuple[K, int]]:
    """Dense ranks, ties where worth is about the same."""
    return dense({name: (float(round(value / STEP)),) for name, value in worth.items()})


RULES: dict[str, Callable[[Payload, int], Row]] = {
    "estimate_clusters": estimate_clusters,
    "estimate_ideas": estimate_ideas,
}
