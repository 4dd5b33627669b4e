"""What two annotators agree on, and Cohen's kappa against a case worked by hand and against its own formula."""

import numpy as np
import pandas as pd
import pytest

from pipelines.analysis.annotators import agreed, cohen, kappas, numbers

Reading = tuple[str, int, str, bool | None]


def readings(rows: list[Reading], place: str = "question") -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=["game", "t", "annotator", "core"])
    return frame.assign(place=place, core=frame["core"].astype("object"))


def test_a_mention_needs_both_and_a_null_is_no_reading() -> None:
    rows: list[Reading] = [
        *(("g", 1, "a", True), ("g", 1, "b", True)),
        *(("g", 2, "a", True), ("g", 2, "b", False)),
        *(("g", 3, "a", False), ("g", 3, "b", False)),
        *(("g", 4, "a", True), ("g", 4, "b", None)),
        ("g", 5, "a", True),
    ]
    found = agreed(readings(rows), ["game", "t"], ["core"]).set_index("t")
    assert found["core"].fillna(-1).to_dict() == {1: 1, 2: 0, 3: 0, 4: -1, 5: -1}
    assert found["core_disputed"].to_dict() == {1: False, 2: True, 3: False, 4: False, 5: False}


def test_annotators_who_name_two_lines_name_none() -> None:
    frame = pd.DataFrame({"game": "g", "t": [1, 1, 2, 2], "annotator": ["a", "b"] * 2, "line": [7, 7, 7, 8]})
    assert agreed(frame, ["game", "t"], ["line"])["line"].tolist() == [7, 0]


@pytest.mark.parametrize("dtype", ["object", "boolean", "bool", "Int64", "float64"])
def test_flags_and_numbers_of_every_kind_become_floats(dtype: str) -> None:
    whole = (
        pd.Series([True, False]) if dtype == "bool" else pd.Series([True, False, None], dtype="object").astype(dtype)
    )
    found = numbers(whole)
    assert found.dtype == np.float64
    assert list(found[:2]) == [1, 0]
    assert np.isnan(found[2:]).all()


def test_kappa_by_hand() -> None:
    # Of 50: both yes 20, a alone 5, b alone 10, both no 15. Observed .7, by chance .5 * .6 + .5 * .4 = .5, kappa .4.
    pairs = [(1, 1)] * 20 + [(1, 0)] * 5 + [(0, 1)] * 10 + [(0, 0)] * 15
    assert cohen(pd.DataFrame(pairs)) == pytest.approx((0.4, 0.7))


def test_kappa_of_many_values_is_what_its_formula_gives() -> None:
    drawn = np.random.default_rng(4)
    first = drawn.integers(0, 25, 400)
    second = np.where(drawn.random(400) < 0.7, first, drawn.integers(0, 25, 400))
    observed = np.mean(first == second)
    chance = sum(np.mean(first == value) * np.mean(second == value) for value in range(25))
    assert cohen(pd.DataFrame({"a": first, "b": second}))[0] == pytest.approx((observed - chance) / (1 - chance))


def test_kappas_are_of_what_both_read_and_apart_by_place() -> None:
    values = [(True, True), (False, False), (True, False), (False, None)]
    rows: list[Reading] = [
        ("g", t, who, value) for t, pair in enumerate(values, 1) for who, value in zip("ab", pair, strict=True)
    ]
    both = pd.concat([readings(rows), readings([("g", 9, "a", True), ("g", 9, "b", True)], "card")])
    found = kappas(both, ["core"]).set_index("place")
    # questions: observed 2/3, by chance 2/3 * 1/3 + 1/3 * 2/3 = 4/9
    assert found.loc["question", "kappa"] == pytest.approx((2 / 3 - 4 / 9) / (5 / 9))
    assert found["n"].to_dict() == {"card": 1, "question": 3}
    assert found["unread"].to_dict() == {"card": 0, "question": 1}
    assert np.isnan(found.loc["card", "kappa"])
    assert found.loc["card", "agree"] == 1


def test_one_annotator_agrees_with_nobody() -> None:
    alone = readings([("g", 1, "a", True)])
    assert len(kappas(alone, ["core"])) == 0
    assert agreed(alone, ["game", "t"], ["core"])["core"].isna().all()
