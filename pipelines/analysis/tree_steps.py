"""Where the next question goes after each answer, and how that and the depth change in a game (Figures 9-11).

All from the rows of ``trees.place_questions``. A step whose two questions have not both a place in the tree is left
out; UNKNOWN stands apart from NO. A game's own share comes first, then papers are averaged: ``pooled`` is the share
over all steps beside it.
"""

import pandas as pd

from pipelines.analysis.contrast import contrast
from pipelines.analysis.intervals import mean_interval
from pipelines.analysis.order import arrange
from pipelines.analysis.trees import BY, DESCRIPTIVE, TREE

BIN = 10
STEPS = ("child", "leaves")
BINNED = ("depth", *STEPS, "yes")


def with_length(placed: pd.DataFrame) -> pd.DataFrame:
    """``placed`` with ``questions``, the length of each game."""
    return placed.assign(questions=placed.groupby(TREE, sort=False, observed=True)["t"].transform("max"))


def per_game(placed: pd.DataFrame, by: list[str], value: str) -> pd.DataFrame:
    """One row per game and ``by``: the mean of ``value`` over its questions that have one, their ``sum`` and ``n``."""
    known = placed.dropna(subset=[value])
    grouped = known.groupby(["game", "paper", *BY, *by], sort=False, observed=True)[value]
    return pd.DataFrame({value: grouped.mean(), "sum": grouped.sum(), "n": grouped.size()}).reset_index()


def averaged(shares: pd.DataFrame, by: list[str], value: str, seed: int) -> pd.DataFrame:
    """``mean_interval`` of what ``per_game`` gives; ``pooled``: the mean over all steps, of which there are ``n``."""
    keys = [*BY, *by]
    sums = shares.groupby(keys, observed=True)[["sum", "n"]].sum().reset_index()
    found = mean_interval(shares, keys, value, DESCRIPTIVE, seed).merge(sums, on=keys, how="left")
    return found.assign(measure=value, pooled=found["sum"] / found["n"]).drop(columns="sum")


def steps_after(placed: pd.DataFrame, seed: int) -> pd.DataFrame:
    """P(next is a child) and P(next leaves the branch) after each answer, by annotator, model and T.

    Column ``measure``: child, leaves. The paper: GPT-5.4 goes to a child 39% of the time after YES, 24% after NO.
    """
    rows = with_length(placed)
    parts = [averaged(per_game(rows, ["answer"], value), ["answer"], value, seed) for value in STEPS]
    return _stacked(parts)


def yes_against_no(placed: pd.DataFrame, seed: int) -> pd.DataFrame:
    """The share after YES less that after NO, paired within games, sign-flip permutation, Holm over inquisitors.

    Column ``measure``: child, leaves; a game without a step after one of the two is left out. The paper: only GPT-OSS
    goes to a child more after NO (below 0 here), and leaves more after YES (above 0).
    """
    rows = with_length(placed)
    parts = []
    for value in STEPS:
        shares = per_game(rows, ["answer"], value)
        yes, no = (shares.loc[shares["answer"] == answer] for answer in ("YES", "NO"))
        pairs = yes.merge(no, on=["game", "paper", *BY], suffixes=("", "_no"))
        pairs = pairs.assign(difference=pairs[value] - pairs[f"{value}_no"])
        parts.append(contrast(pairs, BY, "difference", "flip", seed).assign(measure=value))
    return _stacked(parts)


def over_bins(placed: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Depth, child, leaves and the share of YES over bins of ten questions, by annotator, model and T.

    Column ``measure``: depth (the problem's is 0), child, leaves, yes; start and end: the bin's first and last
    question; child and leaves belong to the bin that the step starts in.
    """
    rows = with_length(placed)
    start = (rows["t"] - 1) // BIN * BIN + 1
    end = (start + BIN - 1).clip(upper=rows["questions"])
    yes = (rows["answer"] == "YES").astype("float64").where(rows["answer"].notna())
    rows = rows.assign(start=start, end=end, yes=yes)
    by = ["start", "end"]
    return _stacked([averaged(per_game(rows, by, value), by, value, seed) for value in BINNED])


def _stacked(parts: list[pd.DataFrame]) -> pd.DataFrame:
    """The parts as one frame, ``measure`` first."""
    found = pd.concat([part for part in parts if len(part)] or parts[:1], ignore_index=True)
    return arrange(found[["measure", *[name for name in found.columns if name != "measure"]]])
