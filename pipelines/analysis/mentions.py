"""Who asks about the core or the decoy of a survey, and what that brings (the paper's Table 7).

A mention counts when all annotators of a game, at least two, mark it. Where they differ it does not count, and is
counted as disputed. A game in which some question or card lacks a valid reading of either is left out of what hangs on
it, and counted: to keep it where the mention was seen elsewhere, and only there, would push every rate up.
All of it is meant for plain games of the survey experiment; a caller with forks or pooled games takes them out.
"""

import numpy as np
import pandas as pd

from pipelines.analysis.annotators import agreed
from pipelines.analysis.contrast import contrast
from pipelines.analysis.intervals import mean_interval
from pipelines.analysis.order import GAME, GROUP, arrange
from pipelines.analysis.paired import pair_up

IDEAS = ("core", "decoy")
DESCRIPTIVE = "descriptive, no test"
MEASURES = {
    # name: (what it is a share of, NULL for all games; what is counted)
    "core asked": (None, "asked_core"),
    "decoy asked": (None, "asked_decoy"),
    "core stated": (None, "card_core"),
    "decoy stated": (None, "card_decoy"),
    "rejected decoy stated": ("rejected_decoy", "card_decoy"),
    "stated core follows a YES": ("card_core", "yes_core"),
    "stated core never asked": ("card_core", "unasked_core"),
}
"""Under decoy and full these are the paper's, under none and dummy a base line."""
GAMES = [
    *(*GAME, "questions", "unread", "disputed"),
    *(f"{what}_{idea}" for idea in IDEAS for what in ("asked", "first", "yes", "rejected", "unasked", "card")),
]


def mention_games(mentions: pd.DataFrame, turns: pd.DataFrame) -> pd.DataFrame:
    """One row per game whose mentions were read; ``turns`` gives the answers.

    Columns game, paper, model, condition, replicate, questions (asked), unread and disputed (questions), and for core
    and decoy: asked (1 or 0), first (the first question that mentions it, NULL if none), yes (one of these was answered
    YES), rejected (one was answered NO and none YES), unasked, card (the final card states it). NULL: not wholly read.
    """
    marks = agreed(mentions, ["game", "place", "t"], IDEAS)
    questions, cards = (marks.loc[marks["place"] == place] for place in ("question", "card"))
    keys = mentions[list(GAME)].drop_duplicates("game")
    played = turns.rename(columns={"unit": "game"})[["game", "t", "answer"]]
    asked = played.loc[played["game"].isin(keys["game"])].merge(questions, on=["game", "t"], how="left")
    asked = asked.assign(
        unread=asked[list(IDEAS)].isna().any(axis=1),
        disputed=asked[[f"{idea}_disputed" for idea in IDEAS]].eq(True).any(axis=1),
    )
    games = asked.groupby("game", sort=False)
    found = games.agg(questions=("t", "max"), unread=("unread", "sum"), disputed=("disputed", "sum"))
    final = cards.sort_values("t", kind="stable").drop_duplicates("game", keep="last").set_index("game")
    whole = asked.loc[asked["game"].map(found["unread"]) == 0]
    parts = [_of_idea(whole, idea).reindex(found.index) for idea in IDEAS]
    stated = final[list(IDEAS)].add_prefix("card_").reindex(found.index)
    joined = pd.concat([found, *parts, stated], axis=1).reset_index()
    return arrange(keys.merge(joined, on="game")[GAMES])


def _of_idea(asked: pd.DataFrame, idea: str) -> pd.DataFrame:
    """Per game what was asked about one idea, as floats."""
    said = asked[idea] == 1
    marks = pd.DataFrame(
        {
            "game": asked["game"],
            f"asked_{idea}": said,
            f"first_{idea}": asked["t"].where(said),
            f"yes_{idea}": said & (asked["answer"] == "YES"),
            f"rejected_{idea}": said & (asked["answer"] == "NO"),
        }
    )
    grouped = marks.groupby("game", sort=False)
    found = grouped[[f"asked_{idea}", f"yes_{idea}", f"rejected_{idea}"]].max().astype("float64")
    return found.assign(
        **{
            f"first_{idea}": grouped[f"first_{idea}"].min(),
            f"unasked_{idea}": 1 - found[f"asked_{idea}"],
            f"rejected_{idea}": found[f"rejected_{idea}"] * (1 - found[f"yes_{idea}"]),
        }
    )


def mention_rates(games: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Shares of games by measure (``MEASURES``), model, condition and T; ``games`` from ``mention_games``.

    ``mean`` and its intervals are over papers; count: games that do, of n_games; left_out: games not wholly read.
    """
    parts = []
    for measure, (within, value) in MEASURES.items():
        part = games if within is None else games.loc[games[within] != 0]  # NULL stays, to be counted
        known = part if within is None else part.assign(**{value: part[value].where(part[within].notna())})
        rates = mean_interval(known, GROUP, value, DESCRIPTIVE, seed)
        counts = known.groupby(list(GROUP), observed=True)[value].agg(count="sum", told="count", all="size")
        joined = rates.merge(counts.reset_index(), on=list(GROUP), how="left")
        parts.append(joined.assign(measure=measure, left_out=joined["all"] - joined["told"]))
    found = pd.concat([part for part in parts if len(part)] or parts[:1], ignore_index=True)
    columns = ["measure", *GROUP, "mean", "low", "high", "boot_low", "boot_high", "count", "n_papers", "n_games"]
    return arrange(found[[*columns, "left_out", "method", "family", "seed"]].astype({"count": "int64"}))


def first_asks(games: pd.DataFrame) -> pd.DataFrame:
    """At which question core and decoy are first asked about, by idea, model, condition and T.

    Columns median, lower and upper (quartiles, in questions), n_games (that ask), n_papers, of (games wholly read),
    method, family. The paper: median 3-6.
    """
    own = games[[*GROUP, "paper"]]
    parts = [own.assign(idea=i, first=games[f"first_{i}"].astype("float64"), read=games[f"asked_{i}"]) for i in IDEAS]
    asked = pd.concat(parts, ignore_index=True)
    keys = ["idea", *GROUP]
    known = asked.dropna(subset=["first"]).groupby(keys, observed=True)
    first = known["first"]
    found = pd.DataFrame({"median": first.median(), "lower": first.quantile(0.25), "upper": first.quantile(0.75)})
    counts = known.agg(n_games=("first", "size"), n_papers=("paper", "nunique"))
    of = asked.groupby(keys, observed=True)["read"].count().rename("of")
    found = found.join(counts).join(of).reset_index()
    return arrange(found.assign(method="median and quartiles over games that ask", family=DESCRIPTIVE))


def split_scores(games: pd.DataFrame, scores: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Mean final score by model, T and ``asked``: what was asked about the core (Table 7, and the class it leaves out).

    asked: decoy (all games under it), full: not asked, full: asked and YES, full: asked, never YES; full: not read for
    games that were not wholly read. Games without a final score are left out; left_out counts them.
    """
    last = scores.loc[scores["t"] == scores["questions"], ["game", "score"]]
    shown = games.loc[games["condition"].isin(["decoy", "full"])].merge(last, on="game", how="left")
    classes = {
        "decoy": shown["condition"] == "decoy",
        "full: not read": shown["asked_core"].isna(),
        "full: not asked": shown["asked_core"] == 0,
        "full: asked and YES": shown["yes_core"] == 1,
    }
    split = shown.assign(asked=np.select(list(classes.values()), list(classes), "full: asked, never YES"))
    by = ["model", "questions", "asked"]
    missing = split["score"].isna().groupby([split[name] for name in by], observed=True).sum().rename("left_out")
    return arrange(mean_interval(split, by, "score", DESCRIPTIVE, seed).merge(missing.reset_index(), on=by, how="left"))


def first_cards(scores: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Mean score of the card before any question, by model, condition and T: the control of Table 7."""
    return arrange(mean_interval(scores.loc[scores["t"] == 0], GROUP, "score", DESCRIPTIVE, seed))


def first_card_differences(scores: pd.DataFrame, seed: int, against: str = "decoy") -> pd.DataFrame:
    """Card 0 of each other condition less that of ``against``, paired by paper, with p and Holm over inquisitors.

    No survey is in a card's prompt, so all should be zero but for chance.
    """
    first = scores.loc[scores["t"] == 0]
    base, rest = (first.loc[(first["condition"] == against) == own] for own in (True, False))
    beside = base.drop(columns="condition").merge(rest[["condition"]].drop_duplicates(), how="cross")
    pairs = pair_up(rest, beside, GROUP)
    return arrange(contrast(pairs, GROUP, "difference", "t", seed).assign(against=against))
