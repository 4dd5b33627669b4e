"""Which games stand on the page: for each model, condition and T the best, the median and the worst by final score."""

from dataclasses import dataclass

import pandas as pd

from pipelines.analysis.curves import ends
from pipelines.analysis.order import GAME, GROUP, arrange

PRIORITY = {"best": 0, "only": 0, "first": 0, "worst": 1, "median": 2}


@dataclass(frozen=True)
class Sample:
    """``games``: one row per game with its ``role``, ``first``, ``final``, ``place`` (1 is best) and ``of``."""

    games: pd.DataFrame
    rule: str
    finished: int
    """How many games the sample is drawn from."""


def choose(units: pd.DataFrame, scores: pd.DataFrame) -> Sample:
    """The sample of the finished games.

    Of an even number the median is the better of the middle two; ties go by paper, then replicate. Where no game of a
    group has a final score, its first game by paper and replicate stands for it.
    """
    done = units.loc[(units["kind"] == "game") & (units["status"] == "ok"), [*GAME, "questions"]]
    score = ends(scores)[["game", "first", "final"]]
    games = done.merge(score, on="game", how="left").sort_values(["paper", "replicate", "game"], kind="stable")
    scored = _by_score(games.dropna(subset=["final"]))
    unscored = games.groupby(list(GROUP), observed=True).head(1)
    unscored = unscored.loc[~_group(unscored).isin(_group(scored))].assign(role="first", place=None, of=None)
    parts = [part for part in (scored, unscored) if len(part)]
    chosen = pd.concat(parts) if parts else unscored
    return Sample(arrange(chosen), _rule(len(scored), len(unscored)), len(done))


def _group(games: pd.DataFrame) -> pd.Series:
    return (
        games["model"].astype("str") + "\n" + games["condition"].astype("str") + "\n" + games["questions"].astype("str")
    )


def _by_score(games: pd.DataFrame) -> pd.DataFrame:
    ranked = games.sort_values("final", ascending=False, kind="stable")
    groups = ranked.groupby(list(GROUP), observed=True)
    place, of = groups.cumcount(), groups["game"].transform("size").astype("int64")
    role = pd.Series("", index=ranked.index, dtype="str")
    role[place == (of - 1) // 2] = "median"
    role[place == of - 1] = "worst"
    role[place == 0] = "best"
    role[of == 1] = "only"
    return ranked.assign(role=role, place=place + 1, of=of).loc[role != ""]


def _rule(scored: int, unscored: int) -> str:
    best = (
        "the best, the median and the worst game by final score, for each model and condition"
        " (a game that is two of these stands once)"
    )
    first = "the first game by paper and replicate, for each model and condition"
    if scored and unscored:
        return f"{best}; {first} without a final score"
    return best if scored else f"{first}, as no game has a final score"
