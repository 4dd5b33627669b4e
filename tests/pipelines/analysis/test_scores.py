"""The panel's mean is NULL unless every judge is there, and what that leaves out is counted."""

import pandas as pd
import pytest
from made_tables import Made, panel

from pipelines.analysis.scores import LeftOut, cards_to_score, grades, left_out, panel_of, panel_scores


def score(made: Made) -> pd.DataFrame:
    units, cards, ratings = (made.frame(name) for name in ("units", "cards", "ratings"))
    wanted = cards_to_score(units, cards, ratings)
    return panel_scores(wanted, grades(wanted, ratings, panel_of(units, ratings))).set_index(["paper", "t"])


def test_mean_of_a_whole_panel_and_null_of_a_broken_one() -> None:
    made = Made()
    made.game({0: panel(2, 3, 7), 10: panel(5, None, 7)}, paper="p1")
    made.game({0: panel(1, 1, 2), 10: {"a": 4, "b": 6}}, paper="p2")
    scores = score(made)
    assert scores["score"].loc[("p1", 0)] == 4.0
    assert scores["score"].loc[("p2", 0)] == pytest.approx(4 / 3)
    assert scores["score"].isna().to_dict() == {("p1", 0): False, ("p1", 10): True, ("p2", 0): False, ("p2", 10): True}
    assert set(scores["judges"]) == {3}
    assert str(left_out(scores)) == "left out for want of a rating: 2 of 4 cards (50.0%)"


def test_a_judge_whose_unit_is_pending_is_still_of_the_panel() -> None:
    made = Made()
    unit = made.game({0: panel(2, 3)})
    made.add("units", unit="later", kind="judging", game=unit, reader="c", status="pending", questions=10)
    assert score(made)["score"].isna().all()


def test_no_judges_give_no_score_rather_than_zero() -> None:
    made = Made()
    made.game({0: {}, 10: {}})
    scores = score(made)
    assert scores["score"].isna().all()
    assert list(scores["judges"]) == [0, 0]


def test_cards_of_a_failed_game_are_not_owed_a_rating() -> None:
    made = Made()
    made.game({0: panel(2, 3)}, paper="good")
    unit = made.game({}, paper="bad", status="error", error_kind="timeout")
    made.add("cards", unit=unit, paper="bad", model="m", condition="none", replicate=0, t=0)
    assert list(score(made).index) == [("good", 0)]


def test_ratings_count_where_the_game_itself_is_not_in_the_run() -> None:
    made = Made()
    made.game({0: panel(2, 4)})
    made.rows["cards"].clear()
    made.rows["units"] = [row for row in made.rows["units"] if row["kind"] == "judging"]
    assert list(score(made)["score"]) == [3.0]


@pytest.mark.parametrize(("cards", "of", "warn"), [(0, 0, False), (2, 100, False), (21, 1000, True)])
def test_the_warning_starts_above_two_percent(cards: int, of: int, warn: bool) -> None:
    assert LeftOut(cards, of).too_many is warn
