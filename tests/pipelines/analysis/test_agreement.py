"""Judges' agreement, by hand: ranks with ties, deviations that sum to nothing, missing ratings."""

import pandas as pd
import pytest

from pipelines.analysis.agreement import leniency, missing_ratings, rank_agreement


def graded(cards: list[dict[str, int | None]], model: str = "m") -> pd.DataFrame:
    """One game a card, rated at its end."""
    rows = [
        {"game": f"{model}{place}", "paper": f"p{place}", "model": model, "condition": "none", "t": 10, "questions": 10}
        | {"judge": judge, "score": score}
        for place, card in enumerate(cards)
        for judge, score in card.items()
    ]
    return pd.DataFrame(rows).astype({"score": "float64"})


def test_spearman_with_ties_by_hand() -> None:
    # ranks of a: 1, 2.5, 2.5, 4; of b: 1, 2, 3.5, 3.5; r of these = 3.75 / 4.5
    pairs = [(1, 1), (2, 2), (2, 3), (3, 3), (9, None)]
    found = rank_agreement(graded([{"a": a, "b": b} for a, b in pairs])).set_index("cards")
    assert found["rho"].to_dict() == {"all": pytest.approx(3.75 / 4.5), "final": pytest.approx(3.75 / 4.5)}
    assert found["n_cards"].to_dict() == {"all": 4, "final": 4}


def test_no_rho_below_three_cards_or_without_variation() -> None:
    assert rank_agreement(graded([{"a": 1, "b": 2}, {"a": 2, "b": 3}]))["rho"].isna().all()
    assert rank_agreement(graded([{"a": 5, "b": b} for b in (1, 2, 3, 4)]))["rho"].isna().all()


def test_deviation_from_the_others_by_hand_and_its_identity() -> None:
    found = leniency(graded([{"a": 2, "b": 4, "c": 6}, {"a": 2, "b": 4, "c": 6}, {"a": 1, "b": None, "c": 9}]), 0)
    overall = found.loc[found["model"].isna()].set_index("judge")["mean"]
    assert overall.to_dict() == {"a": -3.0, "b": 0.0, "c": 3.0}  # 2 - 5, 4 - 4, 6 - 3; the broken card is left out
    by_model = found.loc[found["model"] == "m", "mean"]
    assert by_model.sum() == pytest.approx(0)
    assert set(found["n_games"]) == {2}


def test_one_judge_agrees_with_nobody() -> None:
    alone = graded([{"a": 2}, {"a": 3}])
    assert len(rank_agreement(alone)) == 0
    assert len(leniency(alone, 0)) == 0


def test_missing_ratings_are_counted_per_judge() -> None:
    found = missing_ratings(graded([{"a": 2, "b": None}, {"a": 3, "b": 4}])).set_index("judge")
    assert found["missing"].to_dict() == {"a": 0, "b": 1}
    assert found["share"].to_dict() == {"a": 0.0, "b": 0.5}
