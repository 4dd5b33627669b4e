"""How early a game's outcome shows: Pearson's r between the score at k and the score at T, over games."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import pearsonr

from pipelines.analysis.intervals import LEVEL, RESAMPLES
from pipelines.analysis.order import GROUP, arrange

METHOD = "Pearson r over games; 95% percentile bootstrap over papers, 10,000"
SUMS = ("n", "x", "y", "xx", "yy", "xy")
COLUMNS = [*GROUP, "t", "r", "boot_low", "boot_high", "n_papers", "n_games"]

Values = NDArray[np.float64]


def early_and_late(scores: pd.DataFrame, seed: int) -> pd.DataFrame:
    """r(score_k, score_T) by model, condition, T and k (column ``t``), for k < T, over games that have both.

    r is NULL with fewer than three games or where a score does not vary. The paper's is r(score_k, score_100).
    """
    last = scores.loc[scores["t"] == scores["questions"], ["game", "score"]].rename(columns={"score": "final"})
    pairs = scores.loc[scores["t"] < scores["questions"]].merge(last, on="game").dropna(subset=["score", "final"])
    keys, rows = [*GROUP, "t"], []
    sums = paper_sums(pairs, keys)
    for (key, group), (_, papers) in zip(
        pairs.groupby(keys, observed=True), sums.groupby(keys, observed=True), strict=True
    ):
        early, late = (group[name].to_numpy(dtype=np.float64) for name in ("score", "final"))
        low, high = over_papers(papers[list(SUMS)].to_numpy(dtype=np.float64), seed)
        rows.append((*key, pearson(early, late), low, high, len(papers), len(group)))
    found = pd.DataFrame(rows, columns=COLUMNS)
    return arrange(found.assign(method=METHOD, family="descriptive, no test", seed=seed))


def pearson(x: Values, y: Values) -> float:
    """r, or NaN with fewer than three games or no variation."""
    if len(x) < 3 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return float("nan")
    return float(pearsonr(x, y).statistic)


def paper_sums(pairs: pd.DataFrame, keys: Sequence[str]) -> pd.DataFrame:
    """One row per ``keys`` and paper: ``SUMS``, of which r is made."""
    x, y = pairs["score"], pairs["final"]
    parts = pairs[[*keys, "paper"]].assign(n=1.0, x=x, y=y, xx=x * x, yy=y * y, xy=x * y)
    return parts.groupby([*keys, "paper"], observed=True)[list(SUMS)].sum().reset_index()


def over_papers(sums: Values, seed: int) -> tuple[float, float]:
    """Percentile interval of r when whole papers are drawn again; NaN with fewer than three papers.

    ``sums``: a row a paper, ``SUMS``. scipy's bootstrap does not draw clusters: r is computed from each paper's sums
    instead, weighted by how often the paper was drawn. Draws in which a score does not vary have no r and are left out.
    """
    papers = len(sums)
    if papers < 3:
        return float("nan"), float("nan")
    n, sx, sy, sxx, syy, sxy = (draws(papers, seed) @ sums).T
    spread = (n * sxx - sx**2) * (n * syy - sy**2)
    varied = spread > 1e-9 * (n * sxx) * (n * syy)
    if not varied.any():
        return float("nan"), float("nan")
    r = (n * sxy - sx * sy)[varied] / np.sqrt(spread[varied])
    low, high = np.percentile(r, [50 * (1 - LEVEL), 50 * (1 + LEVEL)])
    return float(low), float(high)


@lru_cache(maxsize=4)
def draws(papers: int, seed: int) -> Values:
    """How often each paper is drawn (columns) in each of 10,000 draws (rows); groups of one size share them."""
    counts = np.random.default_rng(seed).multinomial(papers, np.full(papers, 1 / papers), size=RESAMPLES)
    return counts.astype(np.float64)
