"""How much of the idea is recovered after t questions, and in which stage of the game it is gained."""

from itertools import pairwise

import pandas as pd

from pipelines.analysis.intervals import mean_interval
from pipelines.analysis.order import GAME, GROUP, arrange

CUTS = (0, 10, 30, 100)
DESCRIPTIVE = "descriptive, no test"


def curves(scores: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Mean score by model, condition, T and t (the paper's Figure 3)."""
    return arrange(mean_interval(scores, [*GROUP, "t"], "score", DESCRIPTIVE, seed))


def stages(questions: int) -> list[tuple[int, int]]:
    """The stages of a game of T questions: 1-10, 11-30, 31-100 and what follows, the last cut at T, as (start, end)."""
    return list(pairwise([cut for cut in CUTS if cut < questions] + [questions]))


def stage_gains(scores: pd.DataFrame) -> pd.DataFrame:
    """One row per game and stage: ``gain``, the score at the stage's end less that at its start; NULL if one is."""
    table = pd.DataFrame(
        [(T, start, end) for T in scores["questions"].dropna().unique() for start, end in stages(int(T))],
        columns=["questions", "stage_start", "stage_end"],
    )
    games = scores[[*GAME, "questions"]].drop_duplicates("game").merge(table, on="questions")
    points = scores[["game", "t", "score"]]
    start = points.rename(columns={"t": "stage_start", "score": "before"})
    end = points.rename(columns={"t": "stage_end", "score": "after"})
    joined = games.merge(start, on=["game", "stage_start"], how="left").merge(end, on=["game", "stage_end"], how="left")
    return joined.assign(gain=joined["after"] - joined["before"])


def gains(scores: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Mean gain by model, condition, T and stage; ``stage`` is e.g. 11-30."""
    found = mean_interval(stage_gains(scores), [*GROUP, "stage_start", "stage_end"], "gain", DESCRIPTIVE, seed)
    names = [f"{start + 1}-{end}" for start, end in zip(found["stage_start"], found["stage_end"], strict=True)]
    return arrange(found.assign(stage=pd.Series(names, index=found.index, dtype="str")))


def ends(scores: pd.DataFrame) -> pd.DataFrame:
    """One row per game: ``first`` (its card at t = 0), ``final`` (at t = T) and ``gain``; NULL where one is missing."""
    points = scores[["game", "t", "score"]]
    games = scores[[*GAME, "questions"]].drop_duplicates("game")
    first = points.loc[points["t"] == 0, ["game", "score"]].rename(columns={"score": "first"})
    last = points.rename(columns={"t": "questions", "score": "final"})
    joined = games.merge(first, on="game", how="left").merge(last, on=["game", "questions"], how="left")
    return joined.assign(gain=joined["final"] - joined["first"])


def outcome(scores: pd.DataFrame, seed: int) -> pd.DataFrame:
    """First score, final score and gain by model, condition and T, over the games that have both scores."""
    both = ends(scores).dropna(subset=["first", "final"])
    parts = []
    for value in ("first", "final", "gain"):
        part = mean_interval(both, GROUP, value, DESCRIPTIVE, seed).rename(columns={"mean": value})
        parts.append(
            part.rename(columns={name: f"{value}_{name}" for name in ("low", "high", "boot_low", "boot_high")})
        )
    shared = [*GROUP, "n_papers", "n_games", "method", "family", "seed"]
    return arrange(parts[0].merge(parts[1], on=shared).merge(parts[2], on=shared))
