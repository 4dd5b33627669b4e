"""Shares in which each row counts once, and an interval that draws papers: by hand, and against another bootstrap."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import bootstrap

from pipelines.analysis.shares import share_interval


def rows(papers: list[list[float | None]]) -> pd.DataFrame:
    given = [(f"p{place}", value) for place, values in enumerate(papers) for value in values]
    return pd.DataFrame(given, columns=["paper", "right"]).assign(who="m").astype({"right": "float64"})


def test_rows_count_once_and_null_is_left_out() -> None:
    (row,) = share_interval(rows([[1, 1, 1], [0, None]]), ["who"], "right", 0).to_dict("records")
    assert (row["share"], row["count"], row["n"], row["n_papers"]) == (0.75, 3, 4, 2)  # the mean over papers is .5
    assert (row["boot_low"], row["boot_high"]) == (0.0, 1.0)


def test_papers_of_one_size_give_the_interval_of_their_means() -> None:
    drawn = np.random.default_rng(1).integers(0, 2, (40, 5)).astype(np.float64)
    found = share_interval(rows(drawn.tolist()), ["who"], "right", 2).iloc[0]
    other = bootstrap(
        (drawn.mean(axis=1),), np.mean, method="percentile", n_resamples=10_000, rng=3
    ).confidence_interval
    assert (found["boot_low"], found["boot_high"]) == (
        pytest.approx(other.low, abs=0.01),
        pytest.approx(other.high, abs=0.01),
    )


def test_one_paper_has_no_interval_and_nothing_has_no_row() -> None:
    assert share_interval(rows([[1, 0]]), ["who"], "right", 0)["boot_low"].isna().all()
    empty = share_interval(rows([]), ["who"], "right", 0)
    assert (len(empty), "boot_high" in empty) == (0, True)
