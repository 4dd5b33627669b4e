"""What the annotators of a game agree on, and how well: agreed readings, and Cohen's kappa of each pair.

This does not guard against annotators that are wrong in the same way: kappa tells of agreement alone.
"""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from statsmodels.stats.inter_rater import cohens_kappa  # type: ignore[import-untyped]

METHOD = "Cohen's kappa over what both read"
KAPPAS = ["reading", "place", "annotator", "other", "kappa", "agree", "n", "n_games", "unread", "method", "family"]

Values = NDArray[np.float64]


def numbers(column: pd.Series) -> Values:
    """A nullable column of flags or whole numbers as float64; NULL becomes NaN."""
    nullable = column.astype("boolean") if column.dtype == object else column
    return np.asarray(nullable.to_numpy(dtype="float64", na_value=np.nan), dtype=np.float64)


def agreed(readings: pd.DataFrame, key: Sequence[str], values: Sequence[str]) -> pd.DataFrame:
    """One row per ``key``: each of ``values`` as the annotators agree on it (float), and NAME_disputed.

    A value is what all annotators of the row say (at least two); 0 (no mention, none of the lines) and disputed where
    they differ; NaN where fewer than two read it or where one gave no valid reply.
    """
    by = list(key)
    marks = readings[by].assign(**{name: numbers(readings[name]) for name in values})
    grouped = marks.groupby(by, sort=False, observed=True)[list(values)]
    low, high, told, read = grouped.min(), grouped.max(), grouped.count(), grouped.size()
    found = {}
    for name in values:
        whole = (told[name] == read) & (read > 1)
        same = low[name] == high[name]
        found[name] = low[name].where(same, 0.0).where(whole)
        found[f"{name}_disputed"] = whole & ~same
    return pd.DataFrame(found, index=read.index).reset_index()


def kappas(readings: pd.DataFrame, values: Sequence[str]) -> pd.DataFrame:
    """Cohen's kappa of each pair of annotators for each of ``values``, and apart for each ``place`` where there is one.

    Columns reading (which value), place, annotator, other, kappa (NULL where both give one and the same value
    throughout), agree (share), n (rows that both read), n_games, unread (rows that one of the two did not validly
    read), method, family. The paper: .67-.79 on mentions, .80 on lines.
    """
    rows = []
    places = readings.groupby("place", observed=True) if "place" in readings else [("question", readings)]
    for place, part in places:
        for value in values:
            marks = part[["game", "t", "annotator"]].assign(value=numbers(part[value]))
            table = marks.set_index(["game", "t", "annotator"])["value"].unstack("annotator")
            for pair in combinations(sorted(table.columns), 2):
                both = table[list(pair)].dropna()
                counts = (len(both), both.index.get_level_values("game").nunique(), len(table) - len(both))
                rows.append((value, place, *pair, *cohen(both), *counts, METHOD, "descriptive, no test"))
    return pd.DataFrame(rows, columns=KAPPAS)


def cohen(both: pd.DataFrame) -> tuple[float, float]:
    """Kappa of two columns without NULLs, and the share of rows in which they are the same; NaN where undefined."""
    values, codes = np.unique(both.to_numpy(), return_inverse=True)
    if not len(both):
        return float("nan"), float("nan")
    size = len(values)
    first, second = codes.reshape(-1, 2).T
    table = np.bincount(first * size + second, minlength=size * size).reshape(size, size)
    agree = float(np.trace(table) / len(both))
    return (float(cohens_kappa(table, return_results=False)) if size > 1 else float("nan")), agree
