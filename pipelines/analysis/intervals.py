"""Means over papers with two 95% intervals: Student's t, and beside it a percentile bootstrap.

A paper's replicates are averaged first, so the papers, not the games, are what is sampled. This does not guard
against papers that resemble one another.
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import sem, t

LEVEL = 0.95
RESAMPLES = 10_000
BATCH = 1000
METHOD = "mean over papers; 95% t-interval; percentile bootstrap over papers, 10,000"

Values = NDArray[np.float64]


def t_interval(values: Values) -> tuple[float, float]:
    """95% t-interval of the mean; NaN with fewer than two values."""
    if len(values) < 2:
        return float("nan"), float("nan")
    mean, reach = float(values.mean()), float(student(len(values) - 1) * sem(values))
    return mean - reach, mean + reach


@lru_cache(maxsize=1024)
def student(freedom: int) -> float:
    """Student's t that 95% lie within."""
    return float(t.ppf((1 + LEVEL) / 2, freedom))


def bootstrap_interval(values: Values, seed: int) -> tuple[float, float]:
    """95% percentile bootstrap of the mean, the same whatever else is computed; NaN with fewer than two values."""
    (both,) = bootstrap_intervals([values], seed)
    return float(both[0]), float(both[1])


def bootstrap_intervals(groups: Sequence[Values], seed: int) -> Values:
    """`bootstrap_interval` of each group, a row each: those of one size at once, which spares most of the time."""
    found = np.full((len(groups), 2), np.nan)
    sizes = np.array([len(values) for values in groups], dtype=np.int64)
    for size in np.unique(sizes[sizes > 1]):
        places = np.flatnonzero(sizes == size)
        columns = np.column_stack([groups[int(place)] for place in places])
        drawn = resampled(int(size), seed) @ columns / size
        found[places] = np.percentile(drawn, [50 * (1 - LEVEL), 50 * (1 + LEVEL)], axis=0).T
    return found


@lru_cache(maxsize=8)
def resampled(size: int, seed: int) -> Values:
    """How often each of ``size`` values (columns) is in each of 10,000 resamples (rows).

    They hang on nothing else, so all means of so many values share them; they are the ones that scipy.stats.bootstrap
    draws from the same seed.
    """
    rng, counts = np.random.default_rng(seed), np.empty((RESAMPLES, size))
    for start in range(0, RESAMPLES, BATCH):
        drawn = rng.integers(0, size, (BATCH, size)) + size * np.arange(BATCH)[:, None]
        counts[start : start + BATCH] = np.bincount(drawn.ravel(), minlength=BATCH * size).reshape(BATCH, size)
    return counts


def mean_interval(frame: pd.DataFrame, by: Sequence[str], value: str, family: str, seed: int) -> pd.DataFrame:
    """Mean of ``value`` for each ``by``, NULLs left out; needs columns game and paper.

    Adds mean, low, high, boot_low, boot_high, n_papers, n_games, method, family, seed. Intervals are NULL at n = 1.
    """
    keys = list(by)
    known = frame.dropna(subset=[value])
    grouped = known.groupby([*keys, "paper"], observed=True)[value].mean().reset_index().groupby(keys, observed=True)
    names, groups = [], []
    for name, papers in grouped[value]:
        names.append(name)
        groups.append(papers.to_numpy(dtype=np.float64))
    rows = [
        (*name, values.mean(), *t_interval(values), *both, len(values))
        for name, values, both in zip(names, groups, bootstrap_intervals(groups, seed), strict=True)
    ]
    columns = [*keys, "mean", "low", "high", "boot_low", "boot_high", "n_papers"]
    games = known.groupby(keys, observed=True)["game"].nunique().to_numpy()
    found = pd.DataFrame(rows, columns=columns).assign(n_games=games)
    return found.assign(method=METHOD, family=family, seed=seed)
