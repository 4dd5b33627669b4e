"""Whether mean differences are zero: Student's paired t, or for rates a sign-flip permutation; Holm over inquisitors.

A paper's replicates are averaged first. This does not guard against papers that resemble one another, nor correct for
the rows of several tables.
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import permutation_test, ttest_1samp
from statsmodels.stats.multitest import multipletests  # type: ignore[import-untyped]

from pipelines.analysis.intervals import METHOD, RESAMPLES, mean_interval

Test = Literal["t", "flip"]
NAMED: dict[Test, str] = {
    "t": "two-sided paired t over papers",
    "flip": "two-sided sign-flip permutation over papers, exact up to 2^13, else 10,000",
}

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
    """How often the mean, with signs drawn anew, is as far from zero: of all signs, or of 10,000 with the real ones."""
    found = permutation_test(
        (values,),
        lambda drawn, axis: np.abs(np.mean(drawn, axis=axis)),
        permutation_type="samples",
        vectorized=True,
        n_resamples=RESAMPLES - 1,
        batch=1000,
        alternative="greater",
        rng=np.random.default_rng(seed),
    )
    return float(found.pvalue)


def holm(p: Values) -> Values:
    """Holm's adjustment of those that are known; NaN stays."""
    adjusted, known = np.full(len(p), np.nan), ~np.isnan(p)
    if known.any():
        adjusted[known] = multipletests(p[known], method="holm")[1]
    return adjusted
