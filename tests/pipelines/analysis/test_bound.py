"""The bound on what answers can tell, to the paper's digit, and the entropy of answers beside it, by hand."""

from math import log2

import pytest
from made_tables import Made

from pipelines.analysis.bound import answer_bounds, bound
from pipelines.analysis.reported import reported, value


@pytest.mark.parametrize(("questions", "printed"), [(100, 158.5), (30, 47.5)])
def test_the_papers_bounds(questions: int, printed: float) -> None:
    assert round(bound(questions), 1) == printed == value(reported(), "Bound", f"T={questions}", "bits")


def test_two_answers_bound_a_question_by_one_bit() -> None:
    assert bound(7, 2) == 7.0


def test_entropy_by_hand() -> None:
    made = Made()
    made.game({}, paper="p1", questions=3)  # one answer of each kind
    made.game({}, paper="p2", questions=3)
    made.game({}, paper="p3", questions=3, status="error", error_kind="lost")
    turns = made.frame("turns")
    turns.loc[turns["paper"] == "p2", "answer"] = ["YES", "NO", "NO"]
    (row,) = answer_bounds(made.frame("units"), turns, 0).to_dict("records")
    uneven = log2(3) - 2 / 3  # of 1/3 and 2/3
    assert row["mean"] == pytest.approx((log2(3) + uneven) / 2)
    assert row["total"] == pytest.approx(3 * row["mean"])
    assert row["bound"] == pytest.approx(3 * log2(3))
    assert (row["answers"], row["n_papers"], row["n_games"], row["survey"]) == (3, 2, 2, False)


def test_answers_that_fall_evenly_reach_the_bound_and_one_answer_has_none() -> None:
    made = Made()
    made.game({}, paper="p1", condition="full", questions=3)
    even = answer_bounds(made.frame("units"), made.frame("turns"), 0).iloc[0]
    assert even["total"] == pytest.approx(even["bound"])
    assert even["survey"]
    same = answer_bounds(made.frame("units"), made.frame("turns").assign(answer="NO"), 0).iloc[0]
    assert same["total"] == 0.0


def test_no_games_give_no_rows_but_the_columns() -> None:
    empty = answer_bounds(Made().frame("units"), Made().frame("turns"), 0)
    assert len(empty) == 0
    assert {"bound", "mean", "total", "method"} <= set(empty)
