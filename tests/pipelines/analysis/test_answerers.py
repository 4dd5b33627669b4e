"""Answerers against people and against what was played: the paper's Table 9 to the digit, kappas by hand."""

from collections.abc import Mapping

import pandas as pd
import pytest
from made_tables import Made

from pipelines.analysis.answerers import against_people, between_answerers, people_answers
from pipelines.analysis.reported import reported, value


def labelled(counts: Mapping[str, int]) -> pd.DataFrame:
    """So many questions of each label, one a turn of one game."""
    given = [label for label, count in counts.items() for _ in range(count)]
    return pd.DataFrame({"game": "g", "t": range(1, len(given) + 1), "paper": "p", "label": given})


def answered(people: pd.DataFrame, name: str, right: Mapping[str, int], flips: Mapping[str, int]) -> pd.DataFrame:
    """The first of each label right, then ``flips``, then UNKNOWN (NO, for what is UNKNOWN)."""
    other = {"YES": "NO", "NO": "YES", "UNKNOWN": "NO"}
    rows = []
    for label, part in people.groupby("label"):
        wrong = "UNKNOWN" if label != "UNKNOWN" else "NO"
        for place, t in enumerate(part["t"]):
            flipped = place < right[label] + flips.get(label, 0)
            said = label if place < right[label] else other[label] if flipped else wrong
            rows.append({"game": "g", "t": t, "answerer": name, "answer": said})
    return pd.DataFrame(rows)


def table_9(name: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    paper = reported()
    labels = ("YES", "NO", "UNKNOWN")
    people = labelled({label: int(value(paper, "Table 9", "people", f"questions, {label}")) for label in labels})
    right = {label: int(value(paper, "Table 9", name, f"right, {label}")) for label in labels}
    return people, answered(people, name, right, {"YES": 2, "NO": 5})


@pytest.mark.parametrize(
    ("name", "cells", "pooled"),
    [
        ("gemma-4-31b", (350, 260, 137), 96.4),
        ("gpt-oss-120b", (340, 258, 87), 94.5),
        ("qwen3-6-35b-a3b", (337, 248, 38), 92.4),
    ],
)
def test_the_papers_counts_give_its_cells(name: str, cells: tuple[int, int, int], pooled: float) -> None:
    people, answers = table_9(name)
    found = against_people(people, answers, 0).set_index("label")
    assert list(found.index) == ["YES", "NO", "UNKNOWN", "YES+NO", "all"]
    assert tuple(found.loc[["YES", "NO", "UNKNOWN"], "count"]) == cells
    assert list(found["n"]) == [354, 279, 162, 633, 795]
    assert round(100 * found.loc["YES+NO", "share"], 1) == pooled
    assert value(reported(), "Table 9", name, "right %, YES+NO") == pooled
    assert found.loc["all", "count"] == sum(cells)


def test_seven_flips_are_the_papers_share() -> None:
    people, answers = table_9("gemma-4-31b")
    found = against_people(people, answers, 0).set_index("label")
    assert found["flips"].to_dict() == {"YES": 2, "NO": 5, "UNKNOWN": 0, "YES+NO": 7, "all": 7}
    assert round(100 * found.loc["YES+NO", "flipped"], 1) == value(reported(), "Table 9", "gemma-4-31b", "flipped %")
    assert found.loc["all", "unknown"] == pytest.approx((137 + 2 + 14) / 795)


def test_the_papers_unknown_share_is_not_of_table_9s_questions() -> None:
    people, _ = table_9("gemma-4-31b")
    answers = answered(people, "gemma-4-31b", {"YES": 350, "NO": 260, "UNKNOWN": 137}, {})  # all that is wrong: UNKNOWN
    most = against_people(people, answers, 0).set_index("label").loc["all", "unknown"]
    assert most == pytest.approx((137 + 4 + 19) / 795)
    assert 100 * most < value(reported(), "Answerers", "gemma-4-31b", "unknown %")


def test_the_majority_of_people_is_the_label_and_a_split_is_none() -> None:
    votes = {1: ["YES", "YES", "NO"], 2: ["YES", "NO", "UNKNOWN"], 3: ["NO"]}
    rows = [
        {"item": f"q{t}", "game": "g", "t": t, "paper": "p", "annotator": f"a{place}", "label": label}
        for t, given in votes.items()
        for place, label in enumerate(given)
    ]
    found = people_answers(pd.DataFrame(rows))
    assert found["label"].iloc[[0, 2]].tolist() == ["YES", "NO"]
    assert found["label"].isna().tolist() == [False, True, False]
    assert found["annotators"].tolist() == [3, 3, 1]


def test_a_question_without_an_answer_is_left_out_and_counted() -> None:
    people = labelled({"YES": 4})
    answers = pd.DataFrame({"game": "g", "t": [1, 2, 3], "answerer": "m", "answer": ["YES", "NO", None]})
    row = against_people(people, answers, 0).set_index("label").loc["YES"]
    assert (row["count"], row["n"], row["left_out"], row["share"], row["flips"]) == (1, 2, 2, 0.5, 1)


def test_kappa_and_flips_between_answerers_by_hand() -> None:
    # played: 4 YES, 4 NO, 2 UNKNOWN; b: 3 YES + 1 NO, 4 NO, 1 UNKNOWN + 1 YES; agree .8
    played = ["YES"] * 4 + ["NO"] * 4 + ["UNKNOWN"] * 2
    again = ["YES"] * 3 + ["NO"] + ["NO"] * 4 + ["UNKNOWN", "YES"]
    turns = pd.DataFrame({"unit": "g", "t": range(1, 12), "answer": [*played, "YES"]})
    answers = pd.DataFrame({"game": "g", "t": range(1, 12), "answerer": "b", "answer": [*again, None]})
    (row,) = between_answerers(answers, turns).to_dict("records")
    chance = (4 * 4 + 4 * 5 + 2 * 1) / 100
    assert (row["answerer"], row["other"]) == ("played", "b")
    assert row["agree"] == pytest.approx(0.8)
    assert row["kappa"] == pytest.approx((0.8 - chance) / (1 - chance))
    assert (row["flips"], row["flipped"], row["n"], row["left_out"], row["n_games"]) == (1, 0.1, 10, 1, 1)
    assert (row["unknown"], row["other_unknown"]) == (0.2, 0.1)


def test_each_pair_of_answerers_is_compared_and_only_on_what_was_read() -> None:
    turns = pd.DataFrame({"unit": "g", "t": range(1, 6), "answer": "YES"})
    parts = [pd.DataFrame({"game": "g", "t": [1, 2], "answerer": name, "answer": "YES"}) for name in ("x", "a")]
    found = between_answerers(pd.concat(parts), turns)
    assert list(zip(found["answerer"], found["other"], strict=True)) == [("played", "a"), ("played", "x"), ("a", "x")]
    assert set(found["n"]) == {2}
    assert set(found["agree"]) == {1.0}
    assert found["kappa"].isna().all()  # one answer throughout


def test_answerers_that_share_no_valid_answer_are_not_compared() -> None:
    turns = pd.DataFrame({"unit": "g", "t": [1, 2], "answer": "YES"})
    answers = pd.DataFrame({"game": "g", "t": [1, 2], "answerer": "b", "answer": pd.Series([None, None], dtype="str")})
    (row,) = between_answerers(answers, turns).to_dict("records")
    assert (row["n"], row["flips"], row["n_games"], row["left_out"]) == (0, 0, 0, 2)
    assert all(pd.isna(row[name]) for name in ("agree", "kappa", "flipped", "unknown", "other_unknown"))


def test_nothing_gives_the_columns_alone() -> None:
    made = Made()
    answers, turns = made.frame("answers"), made.frame("turns")
    labels = pd.DataFrame({name: pd.Series(dtype="str") for name in ("item", "game", "paper", "annotator", "label")})
    people = people_answers(labels.assign(t=pd.Series(dtype="int64")))
    found = between_answerers(answers, turns)
    assert (len(found), "kappa" in found) == (0, True)
    found = against_people(people, answers, 0)
    assert (len(found), "flipped" in found) == (0, True)
