"""Tests of mean differences: signs flipped by hand, Holm by hand, what n counts."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

from pipelines.analysis.contrast import contrast, holm, p_of, sign_flip


def differences(values: dict[str, list[float]]) -> pd.DataFrame:
    """One game a paper for each model."""
    rows = [
        {"model": model, "t": 1, "game": f"{model}{place}", "paper": f"p{place}", "d": value}
        for model, given in values.items()
        for place, value in enumerate(given)
    ]
    return pd.DataFrame(rows, columns=["model", "t", "game", "paper", "d"])


def test_all_signs_are_tried_where_they_are_few() -> None:
    values = np.array([1.0, 2.0, 3.0, -0.5])
    means = [abs(np.dot(signs, values)) for signs in product((1, -1), repeat=4)]
    expected = sum(mean >= 5.5 for mean in means) / 16  # 6.5 and 5.5, each with both signs: 4 of 16
    assert expected == 0.25
    assert sign_flip(values, 0) == expected


def test_many_papers_are_sampled_by_the_seed() -> None:
    values = np.random.default_rng(1).normal(0.1, 1, 200)
    assert sign_flip(values, 3) == sign_flip(values, 3)
    assert sign_flip(values, 3) == pytest.approx(p_of(values, "t", 0), abs=0.02)
    assert sign_flip(np.ones(50), 0) == pytest.approx(1e-4)  # the least that 10,000 can give


def test_holm_by_hand() -> None:
    # sorted .01, .02, .03, .2: times 4, 3, 2, 1, and none below the one before
    found = holm(np.array([0.03, np.nan, 0.01, 0.2, 0.02]))
    assert found[[0, 2, 3, 4]] == pytest.approx([0.06, 0.04, 0.2, 0.06])
    assert np.isnan(found[1])


def test_holm_is_over_the_models_of_a_table_row() -> None:
    both = pd.concat([differences({"a": [1, 2, 3], "b": [1, 1, -1]}).assign(t=t) for t in (1, 2)])
    found = contrast(both, ["model", "t"], "d", "flip", 0)
    assert found["p"].tolist() == [0.25, 0.25, 1.0, 1.0]
    assert found["p_holm"].tolist() == [0.5, 0.5, 1.0, 1.0]
    assert set(found["family"]) == {"Holm over the inquisitors, 2 tests"}


def test_paired_t_by_hand_and_its_edges() -> None:
    found = contrast(differences({"a": [1, 2, 3]}), ["model", "t"], "d", "t", 0).iloc[0]
    assert found["p"] == pytest.approx(0.0741799, abs=1e-7)  # t = 2 * sqrt(3) with 2 degrees of freedom
    assert (p_of(np.zeros(4), "t", 0), p_of(np.full(4, 2.0), "t", 0)) == (1.0, 0.0)
    assert np.isnan(p_of(np.array([1.0]), "flip", 0))


def test_replicates_are_averaged_before_signs_are_flipped() -> None:
    one = differences({"a": [1, 2, 3]})
    twice = pd.concat([one.assign(d=one["d"] + 5), one.assign(d=one["d"] - 5, game=one["game"] + "x")])
    found = contrast(twice, ["model", "t"], "d", "flip", 0).iloc[0]
    assert (found["mean"], found["p"], found["n_papers"], found["n_games"]) == (2.0, 0.25, 3, 6)


def test_rows_that_stand_for_several_games_say_so() -> None:
    found = contrast(differences({"a": [1, 2]}).assign(games=[6, 4]), ["model", "t"], "d", "t", 0).iloc[0]
    assert (found["n_papers"], found["n_games"]) == (2, 10)


def test_nothing_gives_an_empty_table_with_the_same_columns() -> None:
    empty = contrast(differences({}), ["model", "t"], "d", "flip", 0)
    assert len(empty) == 0
    assert list(empty) == list(contrast(differences({"a": [1, 2]}), ["model", "t"], "d", "flip", 0))
