"""Table 7 on games made by hand: who asks, when, what the card states, and what is left out."""

import math
from collections.abc import Mapping

import pandas as pd
import pytest
from made_tables import Made

from pipelines.analysis.mentions import (
    first_asks,
    first_card_differences,
    first_cards,
    mention_games,
    mention_rates,
    split_scores,
)

Marks = Mapping[int, tuple[str, str]]  # question: what it mentions, what was answered


class Play:
    """Games of six questions that two annotators have read."""

    def __init__(self) -> None:
        self.made = Made()
        self.scores: list[dict[str, object]] = []

    def game(self, condition: str, paper: str, marks: Marks, card: str = "", **other: object) -> str:
        """``other``: replicate; first, final (scores); unread, disputed (a question)."""
        replicate = other.get("replicate", 0)
        keys: dict[str, object] = {"paper": paper, "model": "m", "condition": condition, "replicate": replicate}
        game = f"game/m/{paper}/{condition}/{replicate}"
        for t in range(1, 7):
            mentioned, answer = marks.get(t, ("", "UNKNOWN"))
            self.made.add("turns", unit=game, t=t, answer=answer, **keys)
            for annotator in ("a", "b"):
                alone = t == other.get("disputed") and annotator == "a"
                said: dict[str, object] = {"core": "core" in mentioned or alone, "decoy": "decoy" in mentioned}
                if t == other.get("unread") and annotator == "b":
                    said = {}
                self.made.add("mentions", game=game, annotator=annotator, place="question", t=t, **said, **keys)
        for annotator in ("a", "b"):
            said = {"core": card == "core", "decoy": card == "decoy"}
            self.made.add("mentions", game=game, annotator=annotator, place="card", t=6, **said, **keys)
        for t, score in ((0, other.get("first")), (6, other.get("final"))):
            self.scores.append({"game": game, **keys, "t": t, "questions": 6, "score": score})
        return game

    def games(self) -> pd.DataFrame:
        return mention_games(self.made.frame("mentions"), self.made.frame("turns"))

    def scored(self) -> pd.DataFrame:
        return pd.DataFrame(self.scores).astype({"score": "float64"})


def full_games() -> Play:
    """Four under full: asked and YES at 3; asked at 2 and never YES; not asked, yet stated; one not wholly read."""
    play = Play()
    play.game("full", "p1", {3: ("core", "YES"), 5: ("core", "NO")}, "core", final=8)
    play.game("full", "p2", {2: ("core", "NO"), 4: ("", "YES")}, final=4)
    play.game("full", "p3", {1: ("decoy", "NO")}, "core", final=6)
    play.game("full", "p4", {3: ("core", "YES")}, "core", unread=6, final=9)
    return play


def rates(play: Play, condition: str) -> pd.DataFrame:
    found = mention_rates(play.games(), 0)
    return found.loc[found["condition"] == condition].set_index("measure")


def test_a_game_is_what_both_annotators_saw_in_it() -> None:
    found = full_games().games().set_index("paper")
    assert found.loc["p1", ["asked_core", "first_core", "yes_core", "rejected_core", "card_core"]].tolist() == [
        *(1, 3, 1, 0, 1),
    ]
    assert found.loc["p2", ["asked_core", "first_core", "yes_core", "rejected_core"]].tolist() == [1, 2, 0, 1]
    assert found.loc["p3", ["asked_core", "asked_decoy", "rejected_decoy", "card_core"]].tolist() == [0, 1, 1, 1]
    assert found["questions"].tolist() == [6] * 4


def test_a_game_not_wholly_read_is_null_though_a_mention_was_seen() -> None:
    found = full_games().games().set_index("paper").loc["p4"]
    assert found["unread"] == 1
    assert found[["asked_core", "first_core", "yes_core", "unasked_core"]].isna().all()
    assert found["card_core"] == 1


def test_what_one_annotator_alone_marks_is_no_mention_and_is_counted() -> None:
    play = Play()
    play.game("full", "p1", {}, disputed=4)
    found = play.games().iloc[0]
    assert (found["asked_core"], found["disputed"], found["unread"]) == (0, 1, 0)


def test_a_question_that_no_annotator_read_counts_as_unread() -> None:
    play = Play()
    play.game("full", "p1", {3: ("core", "YES")})
    play.made.rows["mentions"] = [row for row in play.made.rows["mentions"] if row["t"] != 2]
    assert play.games()["unread"].tolist() == [1]


def test_shares_by_hand() -> None:
    found = rates(full_games(), "full")
    assert found.loc["core asked", ["mean", "count", "n_games", "left_out"]].tolist() == [
        pytest.approx(2 / 3),
        *(2, 3, 1),
    ]
    assert found.loc["decoy asked", "mean"] == pytest.approx(1 / 3)
    assert found.loc["core stated", ["mean", "count", "n_games", "left_out"]].tolist() == [0.75, 3, 4, 0]
    assert found.loc["stated core follows a YES", ["mean", "n_games", "left_out"]].tolist() == [0.5, 2, 1]
    assert found.loc["stated core never asked", ["mean", "n_games", "left_out"]].tolist() == [0.5, 2, 1]


def test_a_decoy_is_rejected_by_a_no_without_a_yes() -> None:
    play = Play()
    play.game("decoy", "p1", {2: ("decoy", "NO")}, "decoy")
    play.game("decoy", "p2", {2: ("decoy", "NO"), 3: ("decoy", "YES")}, "decoy")
    play.game("decoy", "p3", {2: ("decoy", "UNKNOWN")}, "decoy")
    play.game("decoy", "p4", {2: ("decoy", "NO")})
    found = rates(play, "decoy")
    assert found.loc["rejected decoy stated", ["mean", "count", "n_games"]].tolist() == [0.5, 1, 2]
    assert found.loc["decoy stated", ["mean", "n_games"]].tolist() == [0.75, 4]


def test_a_paper_counts_once_whatever_its_replicates() -> None:
    play = Play()
    for replicate, marks in enumerate(({1: ("core", "YES")}, {1: ("core", "NO")}, {})):
        play.game("full", "p1", marks, replicate=replicate)
    play.game("full", "p2", {})
    found = rates(play, "full").loc["core asked"]
    assert (found["mean"], found["n_papers"], found["n_games"]) == (pytest.approx(1 / 3), 2, 4)


def test_first_ask_is_the_median_over_games_that_ask() -> None:
    play = Play()
    for paper, first in (("p1", 1), ("p2", 3), ("p3", 6)):
        play.game("full", paper, {first: ("core", "NO"), 6: ("core", "YES")})
    play.game("full", "p4", {})
    found = first_asks(play.games()).iloc[0]
    assert found[["idea", "median", "lower", "upper", "n_games", "of"]].tolist() == ["core", 3, 2, 4.5, 3, 4]


def test_final_scores_are_split_in_all_classes() -> None:
    play = full_games()
    play.game("decoy", "p1", {}, final=3)
    play.game("decoy", "p2", {}, final=None)
    found = split_scores(play.games(), play.scored(), 0).set_index("asked")
    assert found["mean"].to_dict() == {
        "decoy": 3,
        "full: asked and YES": 8,
        "full: asked, never YES": 4,
        "full: not asked": 6,
        "full: not read": 9,
    }
    assert found.loc["decoy", ["n_games", "left_out"]].tolist() == [1, 1]


def test_cards_before_any_question_are_compared_by_paper() -> None:
    play = Play()
    for paper, decoy, full in (("p1", 2, 3), ("p2", 4, 4), ("p3", 1, 3), ("p4", None, 9)):
        play.game("decoy", paper, {}, first=decoy)
        play.game("full", paper, {}, first=full)
    assert first_cards(play.scored(), 0).set_index("condition")["n_games"].to_dict() == {"decoy": 3, "full": 4}
    found = first_card_differences(play.scored(), 0).iloc[0]
    assert (found["condition"], found["against"], found["mean"]) == ("full", "decoy", 1.0)
    assert (found["n_papers"], found["n_games"]) == (3, 6)
    # t = 1 / (1 / sqrt(3)) with 2 degrees of freedom; its p is 1 - t / sqrt(2 + t^2)
    assert found["p"] == pytest.approx(1 - math.sqrt(3 / 5))


def test_every_other_condition_is_set_against_decoy_by_itself() -> None:
    play = Play()
    for condition, p1, p2 in (("decoy", 2, 4), ("none", 3, 3), ("full", 5, None)):
        play.game(condition, "p1", {}, first=p1)
        play.game(condition, "p2", {}, first=p2)
    found = first_card_differences(play.scored(), 0).set_index("condition")
    assert found["mean"].to_dict() == {"none": 0.0, "full": 3.0}
    assert found["n_papers"].to_dict() == {"none": 2, "full": 1}


def test_without_readings_every_table_is_empty() -> None:
    play = Play()
    games = play.games()
    scores = pd.DataFrame(columns=["game", "paper", "model", "condition", "replicate", "t", "questions", "score"])
    scores = scores.astype({"score": "float64", "t": "int64", "questions": "int64"})
    tables = [mention_rates(games, 0), first_asks(games), split_scores(games, scores, 0), first_cards(scores, 0)]
    assert [len(table) for table in [games, *tables, first_card_differences(scores, 0)]] == [0] * 6
