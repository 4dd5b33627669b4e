"""The best score so far, against executions started, wall-clock and tokens.

What a discarded branch measured stays on the axis, since it was spent, and raises no line; nor does a lost execution.
"""

import numpy as np
import pandas as pd

from pipelines.analysis.search_keys import GROUP, SEARCH, mean_and_error

AXES = ("executions", "seconds", "tokens")
COLUMNS = [*SEARCH, "axis", "x", "branch", "index", "score", "best", "improved"]
NO_TEXT = ("invalid",)  # of calls with an error, those alone brought a text, and so have tokens


def best_so_far(
    executions: pd.DataFrame, attempts: pd.DataFrame, calls: pd.DataFrame, axes: tuple[str, ...] = AXES
) -> pd.DataFrame:
    """One row per search, axis and counted execution, in the order of the axis.

    x: on ``executions`` the n-th that was started, over all branches; on ``seconds`` from the search's first execution
    or call to the verdict; on ``tokens`` those of calls that had come back by then. A search has no rows on ``tokens``
    where a call does not tell them, or none were used. best: NULL until an execution is right.
    """
    discarded = attempts.loc[attempts["role"] == "discarded", ["unit", "branch"]].assign(gone=True)
    counted = executions.loc[executions["seeding"] == "search"].merge(discarded, on=["unit", "branch"], how="left")
    right = counted["correct"].fillna(False).astype("bool") & counted["gone"].isna()
    counted = counted.assign(score=counted["score"].where(right))
    parts = []
    for unit, rows in counted.groupby("unit", sort=False):
        own = calls.loc[calls["unit"] == unit]
        parts += [_along(rows, own, axis) for axis in axes]
    filled = [part for part in parts if len(part)]
    return pd.concat(filled, ignore_index=True)[COLUMNS] if filled else pd.DataFrame(columns=COLUMNS)


def _along(rows: pd.DataFrame, calls: pd.DataFrame, axis: str) -> pd.DataFrame:
    """One search on one axis."""
    ended = rows["started_at"] + pd.to_timedelta(rows["seconds"].fillna(0), unit="s")
    by = "started_at" if axis == "executions" else "ended"
    ordered = rows.assign(ended=ended).sort_values([by, "branch", "index"], kind="stable")
    if axis == "executions":
        x = np.arange(1, len(ordered) + 1, dtype=np.float64)
    elif axis == "seconds":
        first = min([rows["started_at"].min(), *([calls["started_at"].min()] if len(calls) else [])])
        x = (ordered["ended"] - first).dt.total_seconds().to_numpy(dtype=np.float64)
    else:
        spent = tokens(calls)
        if not spent.sum() > 0 or spent.isna().any():
            return ordered.iloc[:0].assign(axis=axis, x=0.0, best=0.0, improved=False)
        back = (calls["started_at"] + pd.to_timedelta(calls["latency"].fillna(0), unit="s")).sort_values()
        total = np.concatenate([[0.0], spent.loc[back.index].cumsum().to_numpy(dtype=np.float64)])
        x = total[np.searchsorted(back.to_numpy(), ordered["ended"].to_numpy(), side="right")]
    best = ordered["score"].cummax().ffill()
    improved = best.notna() & (best > best.shift().fillna(-np.inf))
    return ordered.assign(axis=axis, x=x, best=best, improved=improved)


def tokens(calls: pd.DataFrame) -> pd.Series:
    """Of each call; 0 of one that brought nothing, NaN where it does not tell."""
    told = calls["prompt_tokens"].astype("float64") + calls["completion_tokens"].astype("float64")
    empty = calls["error_kind"].notna() & ~calls["error_kind"].isin(NO_TEXT) & calls["prompt_tokens"].isna()
    return told.where(~empty, 0.0)


def mean_best(best: pd.DataFrame) -> pd.DataFrame:
    """By group, axis and x: mean of the replicates' best so far, its standard error, n.

    A search that has ended keeps its last value; there is no mean before every replicate has a score.
    """
    rows = []
    for key, group in best.groupby([*GROUP, "axis"], sort=False, dropna=False):
        xs = np.unique(group["x"].to_numpy(dtype=np.float64))
        lines = [_steps(own, xs) for _, own in group.groupby("unit", sort=False)]
        for place, x in enumerate(xs):
            values = pd.Series([line[place] for line in lines])
            if values.notna().all():
                rows.append((*key, float(x), *mean_and_error(values)))
    return pd.DataFrame(rows, columns=[*GROUP, "axis", "x", "mean", "se", "n"])


def _steps(own: pd.DataFrame, xs: np.ndarray) -> np.ndarray:
    """A search's best at each of ``xs``: what stood at the last x up to there."""
    ordered = own.sort_values("x", kind="stable")
    at = np.searchsorted(ordered["x"].to_numpy(dtype=np.float64), xs, side="right")
    values = np.concatenate([[np.nan], ordered["best"].to_numpy(dtype=np.float64)])
    return np.asarray(values[at], dtype=np.float64)
