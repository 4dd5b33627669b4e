"""The games that a reader opens on the page: turns, cards, what each judge said."""

from collections import defaultdict
from dataclasses import dataclass

import pandas as pd

from pipelines.analysis.questions import ANSWERS, FLAGS
from pipelines.report.load import Runs
from pipelines.report.sample import Sample
from pipelines.report.words import Record, records


@dataclass(frozen=True)
class Game:
    """One game. A score that is missing is None."""

    head: Record
    """A row of `Sample.games`."""
    turns: list[Record]
    """Rows of turns, with ``flags``: the names of the rules that the question breaks."""
    cards: list[Record]
    """Rows of cards, with ``score``, ``components`` as a list, and ``ratings`` as a list of judge, score, rationale."""
    answers: list[tuple[str, int]]
    """How often each answer was given."""

    @property
    def trace(self) -> list[tuple[int, float]]:
        """(t, score) of the cards that have one."""
        return [(int(str(card["t"])), float(str(card["score"]))) for card in self.cards if card["score"] is not None]


def games(runs: Runs, sample: Sample, scores: pd.DataFrame) -> list[Game]:
    """The sampled games, in the order of the sample."""
    heads = records(sample.games)
    names = [str(head["game"]) for head in heads]
    turns = _by_game(runs.whole("turns", names), "unit")
    cards = _by_game(runs.whole("cards", names), "unit")
    ratings = _by_game(_every_judge(runs, names), "game")
    score = scores.loc[scores["game"].isin(names)].set_index(["game", "t"])["score"].dropna().to_dict()
    found = []
    for head, name in zip(heads, names, strict=True):
        given = [str(turn["answer"]) for turn in turns[name]]
        found.append(
            Game(
                head=head,
                turns=[{**turn, "flags": [flag for flag in FLAGS if turn[flag]]} for turn in turns[name]],
                cards=[_card(card, score.get((name, card["t"])), ratings[name]) for card in cards[name]],
                answers=[(answer, given.count(answer)) for answer in ANSWERS],
            )
        )
    return found


def _every_judge(runs: Runs, names: list[str]) -> pd.DataFrame:
    """Ratings of some games with a row, if an empty one, for each judge of the panel."""
    ratings = runs.whole("ratings", names)[["game", "t", "judge", "score", "rationale"]]
    panel = runs.panel.loc[runs.panel["game"].isin(names)]
    cards = runs.cards.loc[runs.cards["unit"].isin(names), ["unit", "t"]].rename(columns={"unit": "game"})
    return cards.merge(panel, on="game").merge(ratings, on=["game", "t", "judge"], how="left")


def _card(card: Record, score: float | None, ratings: list[Record]) -> Record:
    components = [line for line in str(card["components"] or "").splitlines() if line.strip()]
    mine = [rating for rating in ratings if rating["t"] == card["t"]]
    return {**card, "score": score, "components": components, "ratings": mine}


def _by_game(frame: pd.DataFrame, key: str) -> defaultdict[str, list[Record]]:
    grouped: defaultdict[str, list[Record]] = defaultdict(list)
    for record in records(frame):
        grouped[str(record[key])].append(record)
    return grouped
