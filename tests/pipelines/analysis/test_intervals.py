"""Means over papers: replicates first, a t-interval, a seeded bootstrap, nothing at n = 1."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t as student

from pipelines.analysis.intervals import bootstrap_interval, mean_interval, t_interval


def table(rows: list[tuple[str, str, str, float | None]]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["model", "paper", "game", "score"])


def test_t_interval_by_hand() -> None:
    low, high = t_interval(np.array([2.0, 4.0, 6.0]))  # mean 4, sd 2, standard error 2 / sqrt(3), t(2) = 4.30265
    assert (low, high) == pytest.approx((4 - 4.96828, 4 + 4.96828), abs=1e-5)
    assert high - 4 == pytest.approx(student.ppf(0.975, 2) * 2 / math.sqrt(3))


def test_replicates_of_a_paper_count_once() -> None:
    rows = [("m", "p1", "g1", 1.0), ("m", "p1", "g2", 3.0), ("m", "p1", "g3", 8.0), ("m", "p2", "g4", 6.0)]
    found = mean_interval(table([*rows, ("m", "p3", "g5", None)]), ["model"], "score", "none", 0).iloc[0]
    assert (found["mean"], found["n_papers"], found["n_games"]) == (5.0, 2, 4)  # papers: 4 and 6
    assert (found["low"], found["high"]) == pytest.approx((5 - 12.7062, 5 + 12.7062), abs=1e-4)  # t(1), error 1
    assert (found["boot_low"], found["boot_high"]) == (4.0, 6.0)
    assert (found["family"], found["seed"]) == ("none", 0)
    assert "10,000" in found["method"]


def test_one_paper_has_a_mean_and_no_interval() -> None:
    found = mean_interval(table([("m", "p1", "g1", 3.0)]), ["model"], "score", "none", 0).iloc[0]
    assert found["mean"] == 3.0
    assert found[["low", "high", "boot_low", "boot_high"]].isna().all()


def test_equal_papers_have_an_interval_of_no_width() -> None:
    assert t_interval(np.full(4, 2.5)) == (2.5, 2.5)


def test_bootstrap_depends_on_its_seed_alone() -> None:
    values = np.array([1.0, 2.0, 4.0, 8.0, 3.0])
    assert bootstrap_interval(values, 3) == bootstrap_interval(values, 3)
    drawn = np.random.default_rng(7).choice(values, size=(200_000, 5)).mean(axis=1)
    assert bootstrap_interval(values, 3) == pytest.approx(np.percentile(drawn, [2.5, 97.5]), abs=0.1)


def test_a_group_is_the_same_beside_others() -> None:
    rows: list[tuple[str, str, str, float | None]] = [("m", f"p{i}", f"g{i}", float(i)) for i in range(5)]
    alone = mean_interval(table(rows), ["model"], "score", "none", 5)
    beside = mean_interval(table([("a", "p9", "g9", 1.0), *rows]), ["model"], "score", "none", 5)
    pd.testing.assert_frame_equal(alone, beside.loc[beside["model"] == "m"].reset_index(drop=True))


def test_no_rows_give_an_empty_table_with_the_same_columns() -> None:
    empty = mean_interval(table([]), ["model"], "score", "none", 0)
    assert len(empty) == 0
    assert list(empty.columns) == list(mean_interval(table([("m", "p", "g", 1.0)]), ["model"], "score", "none", 0))
