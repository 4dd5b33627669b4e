"""Whether mean differences are zero: Student's paired t, or for rates a sign-flip permutation; Holm over inquisitors.

A paper's replicates are averaged first. This does not guard against papers that resemble one another, nor correct for
the rows of several tables.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import ttest_1samp

from pipelines.analysis.intervals import METHOD, RESAMPLES, mean_interval

Test = Literal["t", "flip"]
NAMED: dict[Test, str] = {
    "t": "two-sided paired t over papers",
    "flip": "two-sided sign-flip permutation over papers, exact up to 2^13, else 10,000",
}

EXACT = 13
"""Of so many papers or fewer all signs are tried: there are no more than 10,000."""

Values = NDArray[np.float64]


def contrast(frame: pd.DataFrame, by: Sequence[str], value: str, test: Test, seed: int) -> pd.DataFrame:
    """``mean_interval`` of the difference ``value``, with ``p`` and ``p_holm``; needs model, game and paper.

    Holm is done over the rows that agree in all of ``by`` but model. p is NULL with fewer than two papers. Where
    ``frame`` has a column ``games``, a row stands for so many games, and n_games is their sum.
    """
    keys = list(by)
    found = mean_interval(frame, keys, value, "", seed)
    known = frame.dropna(subset=[value])
    papers = known.groupby([*keys, "paper"], observed=True)[value].mean().reset_index().groupby(keys, observed=True)
    tested = [p_of(part[value].to_numpy(dtype=np.float64), test, seed) for _, part in papers]
    found = found.assign(p=np.array(tested, dtype="float64"), p_holm=np.nan, family="")
    if "games" in frame:
        found["n_games"] = known.groupby(keys, observed=True)["games"].sum().to_numpy(dtype="int64")
    others = [key for key in keys if key != "model"]
    for _, rows in found.groupby(others, observed=True) if others else [((), found)]:
        found.loc[rows.index, "p_holm"] = holm(rows["p"].to_numpy(dtype=np.float64))
        found.loc[rows.index, "family"] = f"Holm over the inquisitors, {int(rows['p'].notna().sum())} tests"
    return found.assign(method=f"{METHOD}; {NAMED[test]}")


def p_of(values: Values, test: Test, seed: int) -> float:
    """Two-sided p of a mean of zero; NaN with fewer than two values, 1 where all are zero."""
    if len(values) < 2:
        return float("nan")
    if not values.any():
        return 1.0
    if test == "flip":
        return sign_flip(values, seed)
    return float(ttest_1samp(values, 0).pvalue) if np.ptp(values) > 0 else 0.0


def sign_flip(values: Values, seed: int) -> float:
    """How often the mean, with signs drawn anew, is as far from zero: of all signs, or of 10,000 with the real ones.

    Sums that differ by less than rounding can bring are the same.
    """
    exact = len(values) <= EXACT
    signs = every_sign(len(values)) if exact else drawn_signs(len(values), seed)
    slack = 1e-12 * float(np.abs(values).sum())
    far = int((np.abs(signs @ values) >= abs(float(values.sum())) - slack).sum())
    return far / len(signs) if exact else (far + 1) / (len(signs) + 1)


@lru_cache(maxsize=EXACT)
def every_sign(size: int) -> Values:
    """All signs (rows) that so many values can have."""
    return np.asarray(1 - 2 * (np.arange(2**size)[:, None] >> np.arange(size) & 1), dtype=np.float64)


@lru_cache(maxsize=8)
def drawn_signs(size: int, seed: int) -> Values:
    """9,999 draws (rows) of the signs of so many values; tests of one size share them."""
    drawn = np.random.default_rng(seed).integers(0, 2, (RESAMPLES - 1, size))
    return np.asarray(1 - 2 * drawn, dtype=np.float64)


def holm(p: Values) -> Values:
    """Holm's adjustment of those that are known; NaN stays. statsmodels' own collects garbage each time it is asked."""
    adjusted, known = np.full(len(p), np.nan), np.flatnonzero(~np.isnan(p))
    ranked = known[np.argsort(p[known], kind="stable")]
    left = np.arange(len(ranked), 0, -1)  # how many hypotheses are not rejected yet
    adjusted[ranked] = np.minimum(np.maximum.accumulate(p[ranked] * left), 1.0)
    return adjusted
