"""Means over papers with two 95% intervals: Student's t, and beside it a percentile bootstrap.

A paper's replicates are averaged first, so the papers, not the games, are what is sampled. This does not guard
against papers that resemble one another.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import bootstrap, sem, t

LEVEL = 0.95
RESAMPLES = 10_000
METHOD = "mean over papers; 95% t-interval; percentile bootstrap over papers, 10,000"

Values = NDArray[np.float64]


def t_interval(values: Values) -> tuple[float, float]:
    """95% t-interval of the mean; NaN with fewer than two values."""
    if len(values) < 2:
        return float("nan"), float("nan")
    mean, reach = float(values.mean()), float(t.ppf((1 + LEVEL) / 2, len(values) - 1) * sem(values))
    return mean - reach, mean + reach


def bootstrap_interval(values: Values, seed: int) -> tuple[float, float]:
    """95% percentile bootstrap of the mean, the same whatever else is computed; NaN with fewer than two values."""
    if len(values) < 2:
        return float("nan"), float("nan")
    found = bootstrap(
        (values,),
        np.mean,
        n_resamples=RESAMPLES,
        batch=1000,
        method="percentile",
        confidence_level=LEVEL,
        rng=np.random.default_rng(seed),
    ).confidence_interval
    return float(found.low), float(found.high)


def mean_interval(frame: pd.DataFrame, by: Sequence[str], value: str, family: str, seed: int) -> pd.DataFrame:
    """Mean of ``value`` for each ``by``, NULLs left out; needs columns game and paper.

    Adds mean, low, high, boot_low, boot_high, n_papers, n_games, method, family, seed. Intervals are NULL at n = 1.
    """
    keys, rows = list(by), []
    for key, group in frame.dropna(subset=[value]).groupby(keys, observed=True):
        values = group.groupby("paper", observed=True)[value].mean().to_numpy(dtype=np.float64)
        low, high = t_interval(values)
        boot_low, boot_high = bootstrap_interval(values, seed)
        rows.append((*key, values.mean(), low, high, boot_low, boot_high, len(values), group["game"].nunique()))
    names = [*keys, "mean", "low", "high", "boot_low", "boot_high", "n_papers", "n_games"]
    return pd.DataFrame(rows, columns=names).assign(method=METHOD, family=family, seed=seed)
