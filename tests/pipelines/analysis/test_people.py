"""People's choices between cards: Fleiss' kappa by hand, majorities, and the panel beside them."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import pytest

from pipelines.analysis.people import fleiss, pair_majorities, panel_agreement, panel_choices, people_kappa
from pipelines.analysis.reported import reported, value


def chosen(pairs: Mapping[str, Sequence[str]]) -> pd.DataFrame:
    """Choices by pair; pair x is of paper x[0], its cards are the last of games xa and xb."""
    rows = [
        {"pair": pair, "paper": pair[0], "game_a": f"{pair}a", "t_a": 10, "game_b": f"{pair}b", "t_b": 10}
        | {"annotator": f"n{place}", "choice": choice}
        for pair, given in pairs.items()
        for place, choice in enumerate(given)
    ]
    columns = ["pair", "paper", "game_a", "t_a", "game_b", "t_b", "annotator", "choice"]
    return pd.DataFrame(rows, columns=columns).astype({name: "str" for name in columns if name[:2] != "t_"})


def scored(pairs: Mapping[str, tuple[float | None, float | None]]) -> pd.DataFrame:
    rows = [
        {"game": f"{pair}{side}", "t": 10, "score": score}
        for pair, given in pairs.items()
        for side, score in zip("ab", given, strict=True)
    ]
    return pd.DataFrame(rows).astype({"score": "float64"})


def test_fleiss_kappa_of_its_inventors_shape_by_hand() -> None:
    # fourteen raters, ten subjects, five categories: P = .378, Pe = .213, kappa = .210
    table = np.array(
        [
            *([0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1]),
            *([7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7]),
        ],
        dtype=np.float64,
    )
    assert round(fleiss(table), 3) == 0.210


def test_kappa_of_pairs_by_hand_without_those_that_someone_left_empty() -> None:
    labels = chosen({"p1": ["A"] * 3, "p2": ["A", "A", "B"], "p3": ["B"] * 3, "p4": ["A", "tie"]})
    (row,) = people_kappa(labels).to_dict("records")
    observed, chance = (1 + 1 / 3 + 1) / 3, (5 / 9) ** 2 + (4 / 9) ** 2
    assert row["kappa"] == pytest.approx((observed - chance) / (1 - chance))
    assert row["unanimous"] == pytest.approx(2 / 3)
    assert (row["n_pairs"], row["n_annotators"], row["left_out"]) == (3, 3, 1)


def test_no_kappa_of_one_annotator_or_of_one_choice() -> None:
    assert len(people_kappa(chosen({"p1": ["A"], "p2": ["B"]}))) == 0
    assert people_kappa(chosen({"p1": ["A", "A"], "p2": ["A", "A"]}))["kappa"].isna().all()


def test_the_majority_is_more_than_half() -> None:
    given = {"p1": ["A", "A", "B"], "p2": ["A", "B", "tie"], "p3": ["tie", "tie", "B"], "p4": ["A", "B"]}
    found = pair_majorities(chosen(given)).set_index("pair")
    assert found["majority"].dropna().to_dict() == {"p1": "A", "p3": "tie"}
    assert found.loc["p2", ["A", "B", "tie", "annotators"]].tolist() == [1, 1, 1, 3]


def test_the_panel_prefers_the_higher_score() -> None:
    pairs = pair_majorities(chosen({name: ["A"] for name in ("p1", "p2", "p3", "p4")}))
    found = panel_choices(pairs, scored({"p1": (5, 4), "p2": (4, 5), "p3": (14 / 3, 14 / 3), "p4": (None, 3)}))
    assert found["panel"].iloc[:3].tolist() == ["A", "B", "tie"]
    assert found["panel"].isna().tolist() == [False, False, False, True]


def test_agreement_with_the_majority_of_all_and_where_both_prefer_a_card() -> None:
    given = {"p1": "A", "p2": "A", "q1": "B", "q2": "tie", "r1": "A", "r2": "B"}
    labels = pd.concat([chosen({pair: [choice] * 3 for pair, choice in given.items()}), chosen({"r3": ["A", "B"]})])
    ends = {"p1": (5, 4), "p2": (4, 5), "q1": (2, 3), "q2": (3, 2), "r1": (4, 4), "r2": (None, 3), "r3": (1, 2)}
    found = panel_agreement(labels, scored(ends), 0).set_index("pairs")
    assert found.loc["all", ["count", "n", "n_papers"]].tolist() == [2, 5, 3]  # p1, q1 of p1 p2 q1 q2 r1
    assert found.loc["both prefer a card", ["count", "n"]].tolist() == [2, 3]  # of p1 p2 q1
    assert found.loc["all", ["no_majority", "unscored"]].tolist() == [1, 1]
    assert found.loc["all", "boot_low"] <= 0.4 <= found.loc["all", "boot_high"]


def test_the_papers_shares_are_454_of_its_498_pairs_and_of_464_where_both_prefer_a_card() -> None:
    given = {f"p{place}": ["A"] * 3 for place in range(498)}
    panel: list[tuple[float | None, float | None]] = [(2, 1)] * 454 + [(1, 2)] * 10 + [(1, 1)] * 34
    found = panel_agreement(chosen(given), scored(dict(zip(given, panel, strict=True))), 0).set_index("pairs")
    paper = reported()
    assert found.loc["all", "n"] == value(paper, "Human pairs", "people", "pairs")
    share = value(paper, "Human pairs", "panel", "agrees with the majority %")
    assert round(100 * found.loc["all", "share"], 1) == share == 91.2
    prefer = value(paper, "Human pairs", "panel", "agrees where both prefer one card %")
    assert round(100 * found.loc["both prefer a card", "share"], 1) == prefer == 97.8


def test_no_labels_give_no_rows_but_the_columns() -> None:
    empty = chosen({})
    assert (len(people_kappa(empty)), "kappa" in people_kappa(empty)) == (0, True)
    found = panel_agreement(empty, scored({"p1": (1, 2)}), 0)
    assert (len(found), "share" in found) == (0, True)
