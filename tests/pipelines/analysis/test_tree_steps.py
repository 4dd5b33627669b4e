"""Where the next question goes after each answer, and over the game, by hand."""

import pandas as pd
import pytest
from made_tables import Made

from pipelines.analysis.tree_steps import over_bins, steps_after, yes_against_no
from pipelines.analysis.trees import place_questions

Game = tuple[list[int | None], str]


def placed(*games: Game, model: str = "m") -> pd.DataFrame:
    """One game a paper: the questions' parents, and Y, N or U for the answer to each."""
    made = Made()
    names = {"Y": "YES", "N": "NO", "U": "UNKNOWN"}
    for number, (parents, answers) in enumerate(games):
        paper = f"p{number}"
        keys: dict[str, object] = {"paper": paper, "model": model, "condition": "none", "replicate": 0}
        for t, (parent, answer) in enumerate(zip(parents, answers, strict=True), 1):
            made.add("parents", game=f"game/{model}/{paper}", annotator="a", t=t, parent=parent, **keys)
            made.add("turns", unit=f"game/{model}/{paper}", t=t, answer=names[answer], **keys)
    return place_questions(made.frame("parents"), made.frame("turns"))


def test_steps_after_each_answer_with_unknown_apart() -> None:
    # steps: Y child, Y child, N leaves, U stays, N leaves
    found = steps_after(placed(([0, 1, 2, 0, 4, 0], "YYNUNY")), 0).set_index(["measure", "answer"])
    assert found["mean"].to_dict() == {
        ("child", "YES"): 1.0,
        ("child", "NO"): 0.0,
        ("child", "UNKNOWN"): 1.0,
        ("leaves", "YES"): 0.0,
        ("leaves", "NO"): 1.0,
        ("leaves", "UNKNOWN"): 0.0,
    }
    assert found.loc["child", "n"].to_dict() == {"NO": 2, "UNKNOWN": 1, "YES": 2}


def test_papers_count_alike_and_the_pooled_share_stands_beside() -> None:
    games: list[Game] = [([0, 1, 2, 3, 4], "YYYYN"), ([0, 0, 2, 3, 4], "YNNNN")]
    found = steps_after(placed(*games), 0).set_index(["measure", "answer"]).loc[("child", "YES")]
    assert (found["mean"], found["pooled"], found["n"], found["n_papers"]) == (0.5, 0.8, 5, 2)


def test_a_step_beside_an_invalid_question_is_left_out() -> None:
    found = steps_after(placed(([0, 1, None, 2, 4], "YYYYY")), 0).set_index("measure")
    assert found["n"].to_dict() == {"child": 2, "leaves": 2}  # 1 to 2 and 4 to 5
    assert found["mean"].to_dict() == {"child": 1.0, "leaves": 0.0}


def test_yes_against_no_is_paired_within_games() -> None:
    games: list[Game] = [([0, 1, 1, 0], "YNNN"), ([0, 1, 1, 1], "YNYN"), ([0, 1, 2, 3], "YYYY")]
    found = yes_against_no(placed(*games), 0).set_index("measure")
    # first: child 1 - 0, leaves 0 - 1/2; second: child 1/2 - 0, leaves 0 - 0; the third has no NO
    assert found["mean"].to_dict() == {"child": 0.75, "leaves": -0.25}
    assert found.loc["child", ["p", "n_papers", "n_games"]].tolist() == [0.5, 2, 2]
    assert found["family"].tolist() == ["Holm over the inquisitors, 1 tests"] * 2


def test_bins_of_ten_by_hand() -> None:
    parents = [0, *range(1, 10), *[0] * 10, 20]
    found = over_bins(placed((parents, "Y" * 10 + "N" * 5 + "U" * 5 + "Y")), 0)
    table = found.set_index(["measure", "start"])["mean"]
    assert table["depth"].to_dict() == {1: 5.5, 11: 1.0, 21: 2.0}
    assert table["yes"].to_dict() == {1: 1.0, 11: 0.0, 21: 1.0}
    assert table["child"].to_dict() == {1: pytest.approx(0.9), 11: pytest.approx(0.1)}  # the last asks no more
    assert table["leaves"].to_dict() == {1: pytest.approx(0.1), 11: pytest.approx(0.9)}
    assert found.drop_duplicates("start")["end"].tolist() == [10, 20, 21]


def test_the_share_of_yes_needs_no_place() -> None:
    found = over_bins(placed(([None, None], "YN")), 0)
    assert found[["measure", "mean", "n"]].to_numpy().tolist() == [["yes", 0.5, 2]]


def test_without_trees_every_table_is_empty() -> None:
    rows = placed()
    assert [len(table) for table in (steps_after(rows, 0), yes_against_no(rows, 0), over_bins(rows, 0))] == [0, 0, 0]
