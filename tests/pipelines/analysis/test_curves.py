"""Curves, gains by stage, and the outcome table, on games worked by hand."""

import pandas as pd
import pytest

from pipelines.analysis.curves import curves, ends, gains, outcome, stages


def games(traces: dict[str, dict[int, float | None]], questions: int) -> pd.DataFrame:
    """One game a paper; ``traces`` gives its scores by t."""
    rows = [
        {"game": f"g-{paper}-{questions}", "paper": paper, "model": "m", "condition": "none", "replicate": 0, "t": t}
        | {"questions": questions, "score": score, "judges": 1}
        for paper, trace in traces.items()
        for t, score in trace.items()
    ]
    return pd.DataFrame(rows).astype({"score": "float64"})


@pytest.mark.parametrize(
    ("questions", "expected"),
    [
        (5, [(0, 5)]),
        (10, [(0, 10)]),
        (25, [(0, 10), (10, 25)]),
        (30, [(0, 10), (10, 30)]),
        (100, [(0, 10), (10, 30), (30, 100)]),
        (120, [(0, 10), (10, 30), (30, 100), (100, 120)]),
    ],
)
def test_stages_of_a_game(questions: int, expected: list[tuple[int, int]]) -> None:
    assert stages(questions) == expected


def test_curve_is_the_mean_at_each_t_over_the_games_that_have_it() -> None:
    scores = games({"p1": {0: 1, 10: 4}, "p2": {0: 3, 10: None}}, 10)
    found = curves(scores, 0).set_index("t")
    assert found["mean"].to_dict() == {0: 2.0, 10: 4.0}
    assert found["n_papers"].to_dict() == {0: 2, 10: 1}


def test_gains_are_within_games_and_leave_out_a_missing_end() -> None:
    scores = games({"p1": {0: 1, 10: 4, 30: 5, 100: 7}, "p2": {0: 2, 10: 3, 30: None, 100: 9}}, 100)
    found = gains(scores, 0).set_index("stage")
    assert found["mean"].to_dict() == {"1-10": 2.0, "11-30": 1.0, "31-100": 2.0}
    assert found["n_games"].to_dict() == {"1-10": 2, "11-30": 1, "31-100": 1}


def test_games_of_two_lengths_stay_apart() -> None:
    scores = pd.concat([games({"p1": {0: 1, 10: 4}}, 10), games({"p1": {0: 2, 5: 3}}, 5)])
    assert gains(scores, 0)["stage"].tolist() == ["1-5", "1-10"]
    assert outcome(scores, 0)["final"].tolist() == [3.0, 4.0]


def test_outcome_compares_the_same_games() -> None:
    scores = games({"p1": {0: 1, 10: 4}, "p2": {0: 3, 10: 5}, "p3": {0: 9, 10: None}}, 10)
    found = outcome(scores, 0).iloc[0]
    assert (found["first"], found["final"], found["gain"], found["n_games"]) == (2.0, 4.5, 2.5, 2)
    assert found["gain_low"] < 2.5 < found["gain_high"]
    assert ends(scores)["final"].isna().sum() == 1


def test_without_scores_every_table_is_empty() -> None:
    scores = games({"p1": {0: None, 10: None}}, 10)
    assert [len(table) for table in (curves(scores, 0), gains(scores, 0), outcome(scores, 0))] == [0, 0, 0]
