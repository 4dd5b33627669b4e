"""Two settings of one experiment, paired by paper: two conditions, two selectors, the best and the worst side.

``pair_up`` makes one row per paper, ``paired`` tests them: mean difference, Student's t-interval and a percentile
bootstrap over papers, paired t, sign-flip permutation, Holm over a family that the caller names. A paper's replicates
are averaged first. Neither guards against papers that resemble one another.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from pipelines.analysis.contrast import NAMED, contrast, holm, p_of
from pipelines.analysis.intervals import METHOD

PAIRED = f"first less second; {METHOD}; p: {NAMED['t']}, Holm on it; p_flip: {NAMED['flip']}"
OUTCOME = [
    *("mean", "low", "high", "boot_low", "boot_high", "n_papers", "n_games", "first", "second", "p", "p_flip"),
    *("p_holm", "left_out", "method", "family", "seed"),
]


def by_paper(games: pd.DataFrame, by: Sequence[str], value: str) -> pd.DataFrame:
    """One row per ``by`` and paper: the mean of ``value`` over its ``games`` that have one, and how many these are."""
    grouped = games.dropna(subset=[value]).groupby([*by, "paper"], observed=True)[value]
    return pd.DataFrame({value: grouped.mean(), "games": grouped.size()}).reset_index()


def pair_up(first: pd.DataFrame, second: pd.DataFrame, by: Sequence[str], value: str = "score") -> pd.DataFrame:
    """One row per ``by`` and paper that either side has a ``value`` of; both frames have a row per game.

    Columns ``by``, paper, first, second, difference (NULL where a side is missing), games (of both sides), game (the
    paper: what ``contrast`` counts by).
    """
    keys = [*by, "paper"]
    sides = [by_paper(frame, by, value).rename(columns={value: "value"}) for frame in (first, second)]
    whole = sides[0].merge(sides[1], on=keys, how="outer", suffixes=("_first", "_second"))
    whole = whole.rename(columns={"value_first": "first", "value_second": "second"})
    counted = whole["games_first"].fillna(0) + whole["games_second"].fillna(0)
    found = whole.assign(
        difference=whole["first"] - whole["second"], games=counted.astype("int64"), game=whole["paper"]
    )
    return found.drop(columns=["games_first", "games_second"])


def paired(
    pairs: pd.DataFrame, by: Sequence[str], seed: int, family: str = "inquisitors", within: Sequence[str] = ()
) -> pd.DataFrame:
    """The difference of what ``pair_up`` gives, for each ``by``; one row each, none where no paper has both sides.

    Columns ``by``, mean (first less second), low, high (t), boot_low, boot_high, n_papers, n_games, first and second
    (means over the same papers), p (paired t), p_flip (sign flips), p_holm (of p, over the rows that agree in all of
    ``within``, which are the ``family``), left_out (papers that lack a side), method, family, seed.
    """
    keys = list(by)
    known = pairs.dropna(subset=["difference"])
    found = contrast(pairs, keys, "difference", "t", seed)
    groups = known.groupby(keys, observed=True)
    flips = [p_of(part["difference"].to_numpy(dtype=np.float64), "flip", seed) for _, part in groups]
    levels = groups[["first", "second"]].mean()
    gaps = pairs["difference"].isna().groupby([pairs[key] for key in keys], observed=True).sum().rename("left_out")
    more = levels.assign(p_flip=np.array(flips, dtype="float64")).join(gaps.astype("int64")).reset_index()
    found = found.merge(more, on=keys, how="left").assign(p_holm=np.nan, family="", method=PAIRED)
    for _, rows in found.groupby(list(within), observed=True) if within else [((), found)]:
        found.loc[rows.index, "p_holm"] = holm(rows["p"].to_numpy(dtype=np.float64))
        tests = int(rows["p"].notna().sum())
        found.loc[rows.index, "family"] = f"Holm over the {family}, {tests} tests" if tests > 1 else "one test or none"
    return found[[*keys, *OUTCOME]]
