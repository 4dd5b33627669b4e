"""Shares of what is counted (pairs, questions), with an interval that knows that a paper's rows resemble one another.

Each row counts once, so papers weigh by their rows; `mean_interval`, in which papers weigh alike, is for games. This
does not guard against papers that resemble one another.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from pipelines.analysis.correlation import draws
from pipelines.analysis.intervals import LEVEL

METHOD = "share of all rows; 95% percentile bootstrap over papers, 10,000"


def share_interval(frame: pd.DataFrame, by: Sequence[str], value: str, seed: int) -> pd.DataFrame:
    """Share of rows in which ``value`` (flags, or 1 and 0) holds, for each ``by``, NULLs left out; needs column paper.

    Adds share, count, n, boot_low, boot_high (NULL with fewer than two papers), n_papers, method, family, seed.
    """
    keys, rows = list(by), []
    known = frame.dropna(subset=[value]).astype({value: "float64"})
    for key, group in known.groupby(keys, observed=True):
        papers = group.groupby("paper", observed=True)[value].agg(["sum", "size"]).to_numpy(dtype=np.float64)
        count, n = papers.sum(axis=0)
        low = high = float("nan")
        if len(papers) > 1:
            drawn = draws(len(papers), seed) @ papers
            low, high = np.percentile(drawn[:, 0] / drawn[:, 1], [50 * (1 - LEVEL), 50 * (1 + LEVEL)])
        rows.append((*key, count / n, int(count), int(n), low, high, len(papers)))
    found = pd.DataFrame(rows, columns=[*keys, "share", "count", "n", "boot_low", "boot_high", "n_papers"])
    return found.assign(method=METHOD, family="descriptive, no test", seed=seed)
