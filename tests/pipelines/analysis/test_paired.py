"""Two settings paired by paper: by hand, against scipy, Holm over a family, what is left out."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ttest_rel

from pipelines.analysis.paired import OUTCOME, pair_up, paired

VALUES = st.lists(st.integers(1, 10), min_size=2, max_size=9)


def games(values: dict[str, list[float | None]], model: str = "m", replicate: int = 0) -> pd.DataFrame:
    """By paper, the scores of its games."""
    rows = [
        {"model": model, "paper": paper, "game": f"{model}/{paper}/{number}", "score": score}
        for paper, scores in values.items()
        for number, score in enumerate(scores)
    ]
    return pd.DataFrame(rows, columns=["model", "paper", "game", "score"]).astype({"score": "float64"})


def test_replicates_are_averaged_then_papers_paired() -> None:
    first = games({"a": [5, 7], "b": [4], "c": [9], "e": [None]})
    second = games({"a": [3], "b": [5, 5, 2], "d": [1], "e": [3]})
    pairs = pair_up(first, second, ["model"]).set_index("paper")
    assert pairs["difference"].fillna(-99).to_dict() == {"a": 3.0, "b": 0.0, "c": -99, "d": -99, "e": -99}
    assert pairs["games"].to_dict() == {"a": 3, "b": 4, "c": 1, "d": 1, "e": 1}
    found = paired(pairs.reset_index(), ["model"], 0).iloc[0]
    assert (found["mean"], found["first"], found["second"]) == (1.5, 5.0, 3.5)
    assert (found["n_papers"], found["n_games"], found["left_out"]) == (2, 7, 3)
    assert (found["low"], found["high"]) == pytest.approx((1.5 - 12.7062 * 1.5, 1.5 + 12.7062 * 1.5), abs=1e-3)


@settings(max_examples=15, deadline=None)
@given(VALUES)
def test_any_pairs_are_tested_as_scipy_and_as_all_signs_do(values: list[int]) -> None:
    other = [value % 7 + 1 for value in reversed(values)]
    sides = [games({f"p{i}": [v] for i, v in enumerate(side)}) for side in (values, other)]
    found = paired(pair_up(sides[0], sides[1], ["model"]), ["model"], 0).iloc[0]
    difference = np.array(values) - np.array(other)
    signs = np.array(list(product((1, -1), repeat=len(values))))
    expected = np.mean(np.abs(signs @ difference) >= abs(difference.sum()))
    assert found["p_flip"] == pytest.approx(expected)
    assert found["mean"] == pytest.approx(difference.mean())
    if np.ptp(difference) > 0:
        assert found["p"] == pytest.approx(ttest_rel(values, other).pvalue)


def test_sides_that_change_places_change_the_sign_alone() -> None:
    one, two = games({"a": [5], "b": [4], "c": [9]}), games({"a": [3], "b": [5], "c": [2]})
    there, back = (paired(pair_up(*pair, ["model"]), ["model"], 0).iloc[0] for pair in ((one, two), (two, one)))
    assert (there["mean"], there["low"], there["p"], there["p_flip"]) == pytest.approx(
        (-back["mean"], -back["high"], back["p"], back["p_flip"])
    )


def test_holm_is_over_the_family_that_the_caller_names() -> None:
    parts = []
    for kind, shift in (("x", 1.0), ("x", 2.0), ("y", 0.5)):
        base = {f"p{i}": [float(i)] for i in range(5)}
        more = {f"p{i}": [i + shift + 0.3 * (i % 3)] for i in range(5)}
        by = {"kind": kind, "shift": shift}
        parts.append(pair_up(games(more).assign(**by), games(base).assign(**by), ["kind", "shift"]))
    found = paired(pd.concat(parts), ["kind", "shift"], 0, "shifts", within=["kind"])
    low, high = sorted(found["p"].iloc[:2])
    assert sorted(found["p_holm"].iloc[:2]) == pytest.approx(sorted([2 * low, max(2 * low, high)]))
    assert found["p_holm"].iloc[2] == found["p"].iloc[2]
    assert found["family"].tolist() == ["Holm over the shifts, 2 tests"] * 2 + ["one test or none"]
    assert "sign-flip" in found["method"].iloc[0]


def test_one_paper_has_a_difference_and_no_test() -> None:
    found = paired(pair_up(games({"a": [5]}), games({"a": [3]}), ["model"]), ["model"], 7).iloc[0]
    assert (found["mean"], found["n_papers"], found["seed"]) == (2.0, 1, 7)
    assert found[["low", "boot_high", "p", "p_flip", "p_holm"]].isna().all()


def test_nothing_to_pair_gives_no_rows_and_all_columns() -> None:
    for sides in ((games({}), games({})), (games({"a": [1]}), games({"b": [1]}))):
        found = paired(pair_up(*sides, ["model"]), ["model"], 0)
        assert found.columns.tolist() == ["model", *OUTCOME]
        assert len(found) == 0
