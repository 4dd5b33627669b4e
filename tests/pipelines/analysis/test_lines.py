"""Table 8 on surveys made by hand: neighbours at the edges, windows, pairing, what naming adds."""

from collections.abc import Mapping

import pandas as pd
import pytest
from made_tables import Made

from pipelines.analysis.lines import line_games, line_rates, naming


def game(
    made: Made, asked: Mapping[int, int | None], paper: str = "p1", condition: str = "full", **other: object
) -> None:
    """``asked``: the line of some of its 20 questions; ``other``: replicate, model, inserted, of."""
    model, replicate = other.get("model", "m"), other.get("replicate", 0)
    keys: dict[str, object] = {"paper": paper, "model": model, "condition": condition, "replicate": replicate}
    survey: dict[str, object] = {"inserted": other.get("inserted", 5), "of": other.get("of", 30)}
    for t in range(1, 21):
        for annotator in ("a", "b"):
            line = asked.get(t, 0)
            made.add(
                "lines",
                game=f"game/{model}/{paper}/{condition}/{replicate}",
                annotator=annotator,
                t=t,
                line=line,
                **survey,
                **keys,
            )


def windows(made: Made) -> pd.DataFrame:
    return line_games(made.frame("lines")).set_index("window")


def test_own_line_and_its_neighbours_by_hand() -> None:
    made = Made()
    game(made, {1: 5, 2: 4, 3: 4, 4: 7, 5: 8, 6: 2, 15: 3})  # of 3, 4, 6, 7: all but 6, and 3 only late
    found = windows(made)
    assert found.loc["all", ["own", "neighbours", "difference", "beside"]].tolist() == [1, 0.75, 0.25, 4]
    assert found.loc["first ten", ["own", "neighbours", "difference"]].tolist() == [1, 0.5, 0.5]


@pytest.mark.parametrize(("inserted", "of", "beside"), [(1, 30, 2), (2, 30, 3), (30, 30, 2), (29, 30, 3), (2, 3, 2)])
def test_a_line_near_an_edge_has_fewer_neighbours(inserted: int, of: int, beside: int) -> None:
    made = Made()
    game(made, {1: 1, 2: 2, 3: 3, 4: 28, 5: 29, 6: 30}, inserted=inserted, of=of)
    found = windows(made).loc["all"]
    assert (found["own"], found["neighbours"], found["beside"]) == (
        1,
        pytest.approx(2 / beside if beside > 2 else 1),
        beside,
    )


def test_a_line_alone_has_nothing_to_be_compared_with() -> None:
    made = Made()
    game(made, {1: 1}, inserted=1, of=1)
    assert windows(made)["difference"].isna().all()


def test_an_unread_question_takes_the_game_out_of_its_windows_alone() -> None:
    made = Made()
    game(made, {1: 5, 12: None})
    found = windows(made)
    assert found["unread"].to_dict() == {"all": 1, "first ten": 0}
    assert found["own"].isna().to_dict() == {"all": True, "first ten": False}
    rates = line_rates(line_games(made.frame("lines")), 0).set_index("window")
    assert rates.loc["first ten", ["own", "n_games", "left_out"]].tolist() == [1, 1, 0]
    assert "all" not in rates.index


def test_annotators_who_differ_name_no_line() -> None:
    made = Made()
    game(made, {1: 5})
    for row in made.rows["lines"]:
        if row["t"] == 1 and row["annotator"] == "b":
            row["line"] = 4
    found = windows(made).loc["all"]
    assert found[["own", "neighbours", "disputed"]].tolist() == [0, 0, 1]


def test_rates_are_paired_and_tested_over_papers() -> None:
    made = Made()
    for paper in ("p1", "p2", "p3", "p4"):
        game(made, {1: 5, 2: 6}, paper)  # own 1, neighbours 1/4
        game(made, {2: 6} if paper == "p4" else {1: 5}, paper, replicate=1)  # own 1, neighbours 0; or 0 and 1/4
        game(made, {}, paper, model="other")
    found = line_rates(line_games(made.frame("lines")), 0).set_index(["window", "model"]).loc["all"]
    # of the papers: three (.75 + 1) / 2, one (.75 - .25) / 2
    assert found.loc["m", "difference"] == pytest.approx((3 * 0.875 + 0.25) / 4)
    assert found.loc["m", ["own", "neighbours"]].tolist() == [pytest.approx(3.5 / 4), pytest.approx(5 / 32)]
    assert found.loc["m", ["n_papers", "n_games"]].tolist() == [4, 8]
    assert found["p"].to_dict() == {"m": 2 / 16, "other": 1.0}  # the mean is largest with all signs alike
    assert found["p_holm"].to_dict() == {"m": 4 / 16, "other": 1.0}


def test_what_naming_adds_is_a_difference_of_differences() -> None:
    made = Made()
    for paper in ("p1", "p2"):
        game(made, {1: 5}, paper)  # 1 - 0
        game(made, {1: 5, 2: 4, 3: 3}, paper, "decoy")  # 1 - 1/2
        game(made, {}, paper, "decoy", replicate=1)  # 0 - 0
    game(made, {1: 5}, "p3")  # no decoy game: left out
    found = naming(line_games(made.frame("lines")), 0).set_index("window").loc["all"]
    assert (found["mean"], found["n_papers"], found["n_games"]) == (0.75, 2, 6)
    assert found["p"] == 0.5


def test_without_readings_every_table_is_empty() -> None:
    games = line_games(Made().frame("lines"))
    assert [len(games), len(line_rates(games, 0)), len(naming(games, 0))] == [0, 0, 0]
