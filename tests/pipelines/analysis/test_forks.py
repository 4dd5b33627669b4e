"""Forks: which games are cut, what is ahead, what is left out; every cell of Table 1 from papers made to have it."""

from statistics import fmean

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actors.survey import Condition
from pipelines.analysis.forks import AHEAD, AT_CUT, AT_END, TABLE, extremes, fork_table, side_gaps
from pipelines.analysis.reported import reported
from pipelines.game_unit import GameUnit
from pipelines.growth import ends as grown_ends

Points = dict[int, float | None]
GROUPS = st.lists(st.lists(st.integers(3, 30).map(lambda total: total / 3), min_size=1, max_size=4), max_size=5)


class Played:
    """Units and scores of games and their forks, T = 100."""

    def __init__(self) -> None:
        self._units: list[dict[str, object]] = []
        self._scores: list[dict[str, object]] = []

    def add(
        self, game: str, points: Points, *, paper: str, model: str = "m", replicate: int = 0, **fork: object
    ) -> str:
        kind = "fork" if fork else "game"
        keys = {"game": game, "paper": paper, "model": model, "condition": "none", "replicate": replicate}
        own = {**keys, "questions": 100, "kind": kind}
        self._units.append({**own, "status": "ok", **fork})
        self._scores += [{**own, "t": t, "score": score} for t, score in points.items()]
        return game

    def sides(self, paper: str, at_cut: tuple[float, float], finals: tuple[list[Points], list[Points]], cut: int = 30,
              model: str = "m") -> None:  # fmt: skip
        """A paper's best and worst game, and their continuations."""
        for place, side in enumerate(("best", "worst")):
            game = f"{model}/{paper}/{side}"
            if not any(row["game"] == game for row in self._units):
                self.add(game, {100: 9.0 - place}, paper=paper, model=model, replicate=place)
            self._scores.append({**self._scores[-1], "game": game, "kind": "game", "t": cut, "score": at_cut[place],
                                 "paper": paper, "model": model})  # fmt: skip
            for number, points in enumerate(finals[place]):
                fork = {"source": game, "side": side, "cut": cut, "continuation": number}
                self.add(f"{game}/{cut}/{number}", points, paper=paper, model=model, replicate=place, **fork)

    def frames(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        names = ["game", "paper", "model", "condition", "replicate", "questions", "kind", "status"]
        names += ["source", "side", "cut", "continuation"]
        scores = pd.DataFrame(self._scores, columns=[*names[:7], "t", "score"])
        return pd.DataFrame(self._units, columns=names), scores.astype({"score": "float64", "t": "int64"})


def finals(*scores: float | None) -> list[Points]:
    return [{100: score} for score in scores]


def row(played: Played, measure: str) -> pd.Series:
    return fork_table(*played.frames(), 0).set_index("measure").loc[measure]


def test_gaps_and_ahead_by_hand() -> None:
    played = Played()
    played.sides("p1", (6, 4), (finals(7, 8, 9), finals(5, 5, 5)))  # 2; 8 - 5
    played.sides("p2", (5, 4), (finals(4, 4, 4), finals(5, 5, 5)))  # 1; -1
    played.sides("p3", (5, 5), (finals(6, 6, 6), finals(5, 6, 7)))  # 0; 0: not ahead
    played.sides("p4", (7, 2), (finals(9), finals(1, 3)))  # 5; 9 - 2
    for measure, mean, games in ((AT_CUT, 2.0, 8), (AT_END, 2.25, 21), (AHEAD, 0.5, 21)):
        found = row(played, measure)
        assert (found["mean"], found["n_papers"], found["n_games"]) == (mean, 4, games)
    end = row(played, AT_END)
    assert (end["first"], end["second"]) == (6.75, 4.5)
    assert end["p"] == end["p_holm"] < 1
    assert row(played, AT_CUT)[["p", "p_flip", "p_holm"]].isna().all()
    assert row(played, AHEAD)["boot_low"] < 0.5 < row(played, AHEAD)["boot_high"]


def test_equal_means_are_not_ahead_whatever_the_last_bits_say() -> None:
    played = Played()
    one, other = (16 / 3, 6, 14 / 3), (5, 16 / 3, 17 / 3)
    assert fmean(one) - fmean(other) == pytest.approx(0, abs=1e-12)
    for number, pair in enumerate(((one, other), (other, one), ((0.1, 0.2, 0.3), (0.3, 0.2, 0.1)))):
        played.sides(f"p{number}", (1, 1), (finals(*pair[0]), finals(*pair[1])))
    assert row(played, AHEAD)["mean"] == 0


def test_what_failed_or_lacks_a_score_is_left_out_and_counted() -> None:
    played = Played()
    played.sides("p1", (6, 4), (finals(7, None, 9), finals(5, 5, 5)))  # one unrated, the mean is of two
    played.sides("p2", (6, 4), (finals(7, 7), finals(None, None)))  # no worst side
    played.add("x", {}, paper="p1", source="m/p1/best", side="best", cut=30, continuation=3, status="error")
    played.add("same/0", {100: 5}, paper="p3")
    played.add("same/1", {100: 5}, paper="p3", replicate=1)
    played.add("wait/0", {100: 5}, paper="p4")
    played.add("wait/1", {100: None}, paper="p4", replicate=1)
    for measure, mean in ((AT_CUT, 2.0), (AT_END, 3.0), (AHEAD, 1.0)):
        found = row(played, measure)
        assert (found["mean"], found["n_papers"], found["left_out"]) == (mean, 1, 1)
        assert found[["alike", "unscored", "failed", "unrated"]].tolist() == [1, 1, 1, 3]


def test_equals_are_taken_by_replicate_and_alike_are_counted() -> None:
    played = Played()
    for paper, scores in {"p1": (3, 7, 7, 3), "p2": (4, 4), "p3": (4,), "p4": (2, None)}.items():
        for replicate in reversed(range(len(scores))):
            played.add(f"{paper}/{replicate}", {50: 1, 100: scores[replicate]}, paper=paper, replicate=replicate)
    _, scores_ = played.frames()
    found = extremes(scores_.sample(frac=1, random_state=3)).set_index("paper")
    assert (found.loc["p1", "best"], found.loc["p1", "worst"]) == ("p1/1", "p1/0")
    assert found["alike"].to_dict() == {"p1": False, "p2": True, "p3": True, "p4": False}
    assert found.loc[["p2", "p3", "p4"], ["best", "worst"]].isna().all(axis=None)
    assert found["unscored"].to_dict() == {"p1": 0, "p2": 0, "p3": 0, "p4": 1}
    assert side_gaps(scores_)[["paper", "gap"]].to_numpy().tolist() == [["p1", 4.0]]


@settings(max_examples=40, deadline=None)
@given(GROUPS, st.integers(0, 99))
def test_the_games_that_are_cut_are_those_that_are_analysed(groups: list[list[float]], seed: int) -> None:
    played, expected = Played(), {}
    for number, scores in enumerate(groups):
        paper, units = f"p{number}", []
        for replicate, score in enumerate(scores):
            game = played.add(f"g/{number}/{replicate}", {100: score}, paper=paper, replicate=replicate)
            facts = (Condition.NONE, replicate, 100, None, None)
            units.append((GameUnit(game, "game", paper, "m", *facts), score))
        expected[paper] = {side: game.id for game, side in grown_ends(units)}
    found = extremes(played.frames()[1].sample(frac=1, random_state=seed)).set_index("paper")
    for paper, sides in expected.items():
        assert {side: found.loc[paper, side] for side in ("best", "worst") if found.loc[paper, side]} == sides


@pytest.mark.parametrize("model", ["gemma-4-31b", "qwen3-6-35b-a3b", "gpt-oss-120b", "deepseek-v4-flash"])
@pytest.mark.parametrize("cut", [10, 20, 30])
def test_every_cell_of_table_1_comes_out_of_papers_that_have_it(model: str, cut: int) -> None:
    told = reported().query("table == 'Table 1' and row == @model").set_index("column")["value"]
    ahead, n = int(told[f"ahead %, k={cut}"]), 100
    gap, end = told[f"gap at cut, k={cut}"], told[f"gap at 100, k={cut}"]
    won = (end * n + 0.5 * (n - ahead)) / ahead  # those that are behind are so by half a point
    played = Played()
    for place in range(n):
        shift = (place % 5 - 2) / 10  # sums to nothing
        difference = won if place < ahead else -0.5
        best, worst = finals(*(5 + difference + one for one in (-1, 0, 1))), finals(4, 5, 6)
        played.sides(f"p{place:03}", (5 + gap + shift, 5), (best, worst), cut, model)
    found = fork_table(*played.frames(), 0).set_index("measure")
    assert found["cut"].tolist() == [cut] * 3
    assert found.loc[[AT_CUT, AT_END], "mean"].round(2).tolist() == [gap, end]
    assert round(100 * found.loc[AHEAD, "mean"]) == ahead
    assert found.loc[AT_END, "p_holm"] < 0.001
    assert np.isnan(found.loc[AHEAD, "p"])


def test_holm_is_over_the_inquisitors_of_one_cut() -> None:
    played = Played()
    for model in ("a", "b"):
        for cut in (10, 20):
            for place in range(4):
                played.sides(f"p{place}", (6, 4), (finals(6 + place), finals(4)), cut, model)
    found = fork_table(*played.frames(), 0)
    assert set(found.loc[found["measure"] == AT_END, "family"]) == {"Holm over the inquisitors, 2 tests"}
    assert found["n_papers"].tolist() == [4] * 12


def test_no_forks_give_no_rows_and_all_columns() -> None:
    played = Played()
    played.add("g", {100: 5}, paper="p1")
    for units, scores in (played.frames(), Played().frames()):
        found = fork_table(units, scores, 0)
        assert found.columns.tolist() == TABLE
        assert len(found) == 0
    assert len(side_gaps(Played().frames()[1])) == 0
