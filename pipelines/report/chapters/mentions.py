"""How a survey works: who asks about the idea that it names (Table 7), and about its line (Table 8)."""

import pandas as pd

from pipelines.analysis import annotators, lines, mentions
from pipelines.analysis.mentions import IDEAS, MEASURES
from pipelines.report.chapters.chapter import Chapter, Evidence, Tables
from pipelines.report.chapters.mention_figures import ASKED, LINES, mention_drawings
from pipelines.report.grid import CONDITION, LENGTH, MODEL, N, Show, signed
from pipelines.report.words import p_value, real, share, whole

KEYS = ["model", "condition", "questions"]
CI = ("low", "high")
OVER_PAPERS = "A paper's replicates are averaged first; brackets are 95% t-intervals over papers."
OF_SHARES = (
    "A paper's replicates are averaged first; brackets of shares are 95% percentile bootstrap intervals over papers,"
    " 10,000 draws, as t-intervals leave 0 to 1."
)
HOLM = "Holm over the inquisitors that stand in one window, condition and T."
AGREED = "A mention counts where all annotators of a game, at least two, mark it"


def tables(evidence: Evidence) -> Tables:
    """mention_shares, mention_rates, first_asks, split_scores, first_cards, ..., line_rates, naming, reader_kappas."""
    runs, seed, plain = evidence.runs, evidence.seed, evidence.games
    marks = runs.frame("mentions", where=("game", plain))
    named = runs.frame("lines", where=("game", plain))
    turns = runs.frame("turns", ["t", "answer"], where=("unit", set(marks["game"])))
    games = mentions.mention_games(marks, turns)
    scores = evidence.plain.loc[evidence.plain["game"].isin(games["game"])]
    asked = lines.line_games(named)
    rates = mentions.mention_rates(games, seed)
    kappas = [annotators.kappas(marks, IDEAS), annotators.kappas(named, ("line",))]
    return {
        "mention_games": games,
        "mention_rates": rates,
        "mention_shares": side_by_side(rates),
        "first_asks": mentions.first_asks(games),
        "split_scores": mentions.split_scores(games, scores, seed),
        "first_cards": mentions.first_cards(scores, seed),
        "first_card_differences": mentions.first_card_differences(scores, seed),
        "line_games": asked,
        "line_rates": lines.line_rates(asked, seed),
        "naming": lines.naming(asked, seed),
        "reader_kappas": pd.concat([part for part in kappas if len(part)] or kappas[:1], ignore_index=True),
    }


def side_by_side(rates: pd.DataFrame) -> pd.DataFrame:
    """``mention_rates`` with a row per model, condition and T; of each measure NAME, NAME_low, NAME_high and NAME_of.

    NAME_of: of how many games it is a share. n_papers, n_games, left_out: those of the first measure, of all games.
    """
    first = rates.loc[rates["measure"] == next(iter(MEASURES)), [*KEYS, "n_papers", "n_games", "left_out"]]
    for measure in MEASURES:
        name = column(measure)
        names = {"mean": name, "boot_low": f"{name}_low", "boot_high": f"{name}_high", "n_games": f"{name}_of"}
        part = rates.loc[rates["measure"] == measure].rename(columns=names)
        first = first.merge(part[[*KEYS, *names.values()]], on=KEYS, how="left")
    return first


def column(measure: str) -> str:
    """A measure as the name of a column."""
    return measure.replace(" ", "_")


def _shares() -> list[Show]:
    """Each measure with its interval; of what is not a share of all games, of how many."""
    found = []
    for measure, (within, _) in MEASURES.items():
        name = column(measure)
        found.append(Show(measure, name, share, (f"{name}_low", f"{name}_high")))
        if within:
            found.append(Show("of", f"{name}_of", whole))
    return found


WINDOW = Show("questions", "window")
LEFT_OUT = Show("left out", "left_out", whole)
TESTED = (Show("p", "p", p_value), Show("p, Holm", "p_holm", p_value))

SHOWN = {
    "first_cards": (MODEL, CONDITION, LENGTH, Show("score before any question", "mean", real, CI), *N),
    "first_card_differences": (
        *(MODEL, CONDITION, Show("less", "against"), LENGTH),
        Show("difference", "mean", signed, CI),
        *TESTED,
        *N,
    ),
    "split_scores": (
        *(MODEL, LENGTH, Show("asked about the core", "asked")),
        Show("final score", "mean", real, CI),
        *N,
        LEFT_OUT,
    ),
    "mention_shares": (MODEL, CONDITION, LENGTH, *_shares(), *N, LEFT_OUT),
    "first_asks": (
        *(Show("idea", "idea"), MODEL, CONDITION, LENGTH),
        Show("first asked at question", "median", real, ("lower", "upper")),
        Show("games that ask", "n_games", whole),
        Show("of games", "of", whole),
        Show("papers", "n_papers", whole),
    ),
    "line_rates": (
        *(MODEL, CONDITION, LENGTH, WINDOW),
        Show("its line asked about", "own", share, ("own_boot_low", "own_boot_high")),
        Show("a neighbour", "neighbours", share, ("neighbours_boot_low", "neighbours_boot_high")),
        Show("difference", "difference", signed, CI),
        *TESTED,
        *N,
        LEFT_OUT,
    ),
    "naming": (MODEL, LENGTH, WINDOW, Show("naming the core adds", "mean", signed, CI), *TESTED, *N),
    "reader_kappas": (
        *(Show("read", "reading"), Show("in a", "place"), Show("annotator", "annotator"), Show("other", "other")),
        Show("Cohen κ", "kappa", real),
        Show("agree", "agree", share),
        Show("read by both", "n", whole),
        Show("games", "n_games", whole),
        Show("not read by one", "unread", whole),
    ),
}
CAPTIONS = {
    "first_cards": (
        "The control of Table 7: the panel's score of the card that is written before any question, which no survey is"
        f" in. {OVER_PAPERS}"
    ),
    "first_card_differences": (
        "The card before any question, each condition less decoy, paired by paper: zero but for chance. Brackets are"
        " 95% t-intervals over papers; two-sided paired t over papers, Holm over the inquisitors. Papers that one of"
        " the two conditions lacks are left out; games are those of both."
    ),
    "split_scores": (
        "Final score (panel mean, 1–10) under decoy, and under full by what was asked about the core: never; asked and"
        f" answered YES at least once; asked and never answered YES. {AGREED}. {OVER_PAPERS} No test: games were not"
        " assigned to these classes. Left out: games without a final score."
    ),
    "mention_shares": (
        f"Shares of games that ask about the idea in some question, or state it in the final card. {AGREED}; where they"
        " differ it does not. Rejected: asked about, answered NO and never YES. of: how many games the share is of,"
        f" where that is not all. {OF_SHARES} Descriptive, no test. Left out: games in which some question lacks a"
        " valid reading. Under none and dummy no survey names the core: these are the base line."
    ),
    "first_asks": (
        f"The first question that mentions the idea: median over games that ask, brackets are the quartiles. {AGREED}."
        " Of games: those that were wholly read."
    ),
    "line_rates": (
        "Share of games that ask about the line which names the core (under full) or, in the same place, the decoy,"
        " beside the lines within two of it. A question asks about the line that all annotators name."
        f" {OF_SHARES} The difference, in shares, with a t-interval: two-sided sign-flip"
        " permutation over papers, exact up to 2^13"
        f" draws, else 10,000. {HOLM} Left out: games in which some question of the window lacks a valid reading."
    ),
    "naming": (
        "The difference of the table above under full less that under decoy, in shares, paired by paper: what makes the"
        " line likely in itself falls out. Brackets are 95% t-intervals over papers; two-sided sign-flip permutation."
        f" {HOLM} Games are those of both conditions."
    ),
    "reader_kappas": (
        "How far two annotators agree, question by question, and on final cards; no interval. Annotators that err alike"
        " agree too. Not read by one: rows for which one of the two gave no valid reply. – where both say the same"
        " throughout."
    ),
}
FIGURES = {
    ASKED: (
        "Final score by what was asked about the core, as in the table; bars are 95% t-intervals over papers, cut at"
        " the ends of the scale. Under full a game falls into one class, under decoy all stand together."
    ),
    LINES: (
        "Share of games that ask about the line which names the core (full) or the decoy (in its place otherwise), and"
        " about a line within two of it; bars are 95% t-intervals over papers, of each share by itself, cut at 0 and"
        " 100%. The test of"
        " their difference, and what was left out, stand in the table."
    ),
}

CHAPTER = Chapter(
    name="mentions",
    title="How does a survey work?",
    asks=(
        "Annotators read every question and final card: does it refer to the survey's core, to its decoy; and, without"
        " the solution, which line of the survey does a question ask about? Only plain games count, no fork and no"
        " pooled game."
    ),
    needs="heuresis run experiment=mentions",
    tables=tables,
    shown=SHOWN,
    captions=CAPTIONS,
    drawings=mention_drawings,
    figures=FIGURES,
    reported=("Table 7", "Table 8", "Annotators"),
)
