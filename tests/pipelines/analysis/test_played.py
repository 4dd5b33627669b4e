"""Counts of games by how they ended, of contamination, and of what was asked."""

import pytest
from made_tables import Made, panel

from pipelines.analysis.played import contamination, games_by_status, judgings_by_status
from pipelines.analysis.questions import question_counts


def test_games_by_status_and_kind_of_error() -> None:
    made = Made()
    made.game({0: panel(1)}, paper="p1")
    made.game({}, paper="p2", status="error", error_kind="timeout")
    made.game({}, paper="p3", status="error", error_kind="timeout")
    made.game({}, paper="p4", status="pending")
    found = games_by_status(made.frame("units")).fillna("").groupby(["status", "error_kind"])["games"].sum()
    assert found.to_dict() == {("ok", ""): 1, ("error", "timeout"): 2, ("pending", ""): 1}
    assert judgings_by_status(made.frame("units"))["games"].tolist() == [1]


def test_contamination_tells_unknown_from_false() -> None:
    made = Made()
    for paper, flag in (("p1", True), ("p2", False), ("p3", None), ("p4", None)):
        made.game({0: panel(1)}, paper=paper, contaminated=flag)
    found = contamination(made.frame("units"))
    assert {str(row["contaminated"]): row["games"] for _, row in found.iterrows()} == {"True": 1, "False": 1, "nan": 2}


def test_questions_are_counted() -> None:
    made = Made()
    made.game({0: panel(1)})
    found = question_counts(made.frame("turns")).iloc[0]
    assert found["asked"] == 10
    assert (found["YES"], found["NO"], found["UNKNOWN"]) == pytest.approx((0.3, 0.4, 0.3))
    assert (found["compound"], found["repeat"], found["empty"], found["samples"]) == pytest.approx((0.1, 0.1, 0, 1))
