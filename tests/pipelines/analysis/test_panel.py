"""Who judges: deviations that sum to nothing, gains without a judge, ranks by each judge, all by hand."""

from collections.abc import Mapping, Sequence

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.analysis.agreement import deviations, leniency, rank_agreement
from pipelines.analysis.panel import final_grades, inquisitor_ranks, judge_families, left_out_gains

Cards = Mapping[tuple[str, str, str], Sequence[int | None]]
"""(model, condition, paper) -> the scores of judges a, b, c."""


def graded(cards: Cards, judges: str = "abc") -> pd.DataFrame:
    rows = [
        {"game": f"{model}/{condition}/{paper}/{t}", "paper": paper, "model": model, "condition": condition}
        | {"t": t, "questions": 100, "judge": judge, "score": score}
        for (model, condition, paper), scores in cards.items()
        for t in (100,)
        for judge, score in zip(judges, scores, strict=True)
    ]
    columns = ["game", "paper", "model", "condition", "t", "questions", "judge", "score"]
    texts = {name: "str" for name in columns if name not in ("t", "questions", "score")}
    whole = {"t": "int64", "questions": "int64", "score": "float64"}
    return pd.DataFrame(rows, columns=columns).astype({**texts, **whole})


RATED: Cards = {
    ("m", "decoy", "p1"): (4, 5, 6),
    ("m", "decoy", "p2"): (3, 3, 3),
    ("m", "full", "p1"): (8, 6, 7),
    ("m", "full", "p2"): (6, 3, 6),
    ("n", "decoy", "p1"): (2, 6, 4),
    ("n", "decoy", "p2"): (2, 2, 5),
    ("n", "full", "p1"): (2, 7, 6),
    ("n", "full", "p2"): (5, 5, 5),
}


def test_only_last_cards_that_all_judges_rated_count() -> None:
    early = graded({("m", "none", "p1"): (1, 2, 3)}).assign(t=50)
    broken = graded({("m", "none", "p2"): (1, None, 3)})
    assert len(final_grades(pd.concat([early, broken, graded(RATED)]))) == 24


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(*(st.integers(1, 10),) * 3), min_size=2, max_size=12))
def test_the_three_deviations_of_an_inquisitor_sum_to_0(scores: list[tuple[int, int, int]]) -> None:
    cards = {(f"m{place % 2}", "none", f"p{place}"): given for place, given in enumerate(scores)}
    rated = graded(cards)
    assert deviations(rated).groupby("game")["deviation"].sum().abs().max() == pytest.approx(0, abs=1e-9)
    by_model = rated.assign(deviation=deviations(rated)["deviation"]).groupby(["model", "judge"])["deviation"].mean()
    assert by_model.groupby("model").sum().abs().max() == pytest.approx(0, abs=1e-9)


def test_the_table_of_deviations_keeps_the_identity() -> None:
    found = leniency(graded(RATED), 0).dropna(subset=["model"])
    assert found.groupby("model")["mean"].sum().to_dict() == pytest.approx({"m": 0.0, "n": 0.0}, abs=1e-12)


def test_own_family_against_the_others_by_hand() -> None:
    found = judge_families(graded(RATED), {"a": ["m"], "c": ["n", "absent"]}, 0).set_index(["judge", "whose"])
    # a on m: -1.5, 0, 1.5, 1.5; a on n: -3, -1.5, -4.5, 0
    assert found.loc[("a", "own family"), "mean"] == pytest.approx(0.375)
    assert found.loc[("a", "others"), "mean"] == pytest.approx(-2.25)
    assert found.loc[("a", "own family less others"), "mean"] == pytest.approx(2.625)
    assert found.loc[("a", "own family less others"), ["n_papers", "n_games"]].tolist() == [2, 8]
    assert [whose for judge, whose in found.index if judge == "b"] == ["others"]
    assert found.loc[("c", "own family"), ["n_papers", "n_games"]].tolist() == [2, 4]


def test_gains_with_and_without_a_judge_by_hand() -> None:
    found = left_out_gains(graded(RATED), {"m": "a"}, 0).set_index(["model", "panel"])
    # m: whole 7 - 5 and 5 - 3; without a 6.5 - 5.5 and 4.5 - 3
    assert found.loc[("m", "whole"), "mean"] == pytest.approx(2.0)
    assert found.loc[("m", "own judge left out"), "mean"] == pytest.approx(1.25)
    assert found.loc[("m", "own judge left out"), "left_out"] == "a"
    n = found.loc["n"]
    assert n["mean"].nunique() == 1  # 5 - 4 and 5 - 3: the same twice, as no judge is its own
    assert n.loc["whole", "mean"] == pytest.approx(1.5)
    assert n["left_out"].isna().all()
    assert set(found["n_games"]) == {4}
    assert set(found["family"]) == {"Holm over the inquisitors, 2 tests"}


def test_gains_that_are_equal_but_for_their_last_bit_are_equal() -> None:
    # 7/3 - 1 and 10/3 - 2 are 4/3, and not the same float
    cards = {("m", "decoy", "p1"): (1, 1, 1), ("m", "full", "p1"): (2, 2, 3)}
    cards |= {("m", "decoy", "p2"): (2, 2, 2), ("m", "full", "p2"): (3, 3, 4)}
    found = left_out_gains(graded(cards), {}, 0)
    assert found["p"].tolist() == [0.0, 0.0]


def test_a_judge_may_be_left_out_for_several_inquisitors() -> None:
    found = left_out_gains(graded(RATED), {"m": "b", "n": "b"}, 0)
    assert found.dropna(subset=["left_out"]).set_index("model")["left_out"].to_dict() == {"m": "b", "n": "b"}


def test_ranks_by_judge_and_condition_with_ties_by_hand() -> None:
    cards = {**RATED, ("o", "decoy", "p1"): (4, 6, 6), ("o", "decoy", "p2"): (3, 2, 3)}
    found = inquisitor_ranks(graded(cards)).set_index(["judge", "condition", "model"]).sort_index()
    # decoy by a: 3.5, 2, 3.5; by b: 4, 4, 4; by the panel: 4, 3.5, 4
    assert found["rank"].loc[("a", "decoy")].to_dict() == {"m": 1.5, "n": 3.0, "o": 1.5}
    assert found["rank"].loc[("b", "decoy")].to_dict() == {"m": 2.0, "n": 2.0, "o": 2.0}
    assert found["rank"].loc[("panel", "decoy")].to_dict() == {"m": 1.5, "n": 3.0, "o": 1.5}
    pooled = found.loc[("a", "all")]
    assert pooled["mean"].to_dict() == {"m": 5.25, "n": 2.75, "o": 3.5}
    assert pooled["rank"].to_dict() == {"m": 1.0, "n": 3.0, "o": 2.0}
    assert pooled["n_games"].to_dict() == {"m": 4, "n": 4, "o": 2}


def test_a_papers_games_are_averaged_before_models_are_ranked() -> None:
    one = graded({("m", "none", "p1"): (9, 9, 9), ("m", "none", "p2"): (1, 1, 1), ("n", "none", "p1"): (6, 6, 6)})
    again = graded({("m", "none", "p1"): (9, 9, 9)}).assign(game="another")
    found = inquisitor_ranks(pd.concat([one, again])).set_index(["judge", "condition", "model"])
    assert found.loc[("panel", "none", "m"), ["mean", "rank", "n_papers", "n_games"]].tolist() == [5.0, 2.0, 2, 3]


def test_judges_that_rank_alike_agree_at_the_end() -> None:
    found = rank_agreement(graded({("m", "none", f"p{place}"): (place, place + 1, 9 - place) for place in range(1, 6)}))
    rho = found.loc[found["cards"] == "final"].set_index(["judge", "other"])["rho"].to_dict()
    assert rho == {("a", "b"): pytest.approx(1), ("a", "c"): pytest.approx(-1), ("b", "c"): pytest.approx(-1)}


def test_no_cards_give_no_rows_but_the_columns() -> None:
    empty = graded({})
    for found, column in (
        (judge_families(empty, {"a": ["m"]}, 0), "whose"),
        (left_out_gains(empty, {"m": "a"}, 0), "left_out"),
        (inquisitor_ranks(empty), "rank"),
    ):
        assert (len(found), column in found) == (0, True)
