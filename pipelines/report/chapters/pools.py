"""Who asks better, one model or several: pooled games beside solo games (Table 2), and whose questions (Figure 5)."""

from functools import partial

import pandas as pd
from matplotlib.figure import Figure

from pipelines.analysis import pools
from pipelines.report.chapters.chapter import Chapter, Evidence, Tables
from pipelines.report.chapters.marks import heat
from pipelines.report.figures import Drawing
from pipelines.report.grid import LENGTH, MODEL, N, Show, signed
from pipelines.report.words import p_value, real, share, whole

CI, BOOT = ("low", "high"), ("boot_low", "boot_high")
PICKS = "picks"


def tables(evidence: Evidence) -> Tables:
    """pool_scores, pool_gains, selector_differences, pick_shares."""
    units, scores, seed = evidence.runs.units, evidence.scores, evidence.seed
    picks = evidence.runs.frame("picks", ["paper", "model", "t", "position", "proposer", "chosen"])
    return {
        "pool_scores": pools.pool_scores(units, scores, seed),
        "pool_gains": pools.pool_gains(units, scores, seed),
        "selector_differences": pools.selector_differences(units, scores, seed),
        "pick_shares": pools.pick_shares(units, picks, seed),
    }


def drawings(tables: Tables) -> list[Drawing]:
    """Figure 5, one figure a T_pool."""
    shares = tables["pick_shares"]
    several = shares["questions"].nunique() > 1
    found = []
    for questions, rows in shares.groupby("questions"):
        title, end = (f"T = {questions}", f"-{questions}") if several else ("", "")
        label = f"whose questions are picked {title}".strip()
        found.append(Drawing(PICKS, f"{PICKS}{end}", label, partial(_picked, rows, title)))
    return found


def _picked(rows: pd.DataFrame, title: str, figure: Figure) -> None:
    """Selectors by proposers; the last row is what a blind pick from the same proposals would give."""
    shown = rows.loc[rows["selection"] != "best_of"]
    shown = shown if len(shown) else rows
    row = shown["model"].astype("str").where(shown["selection"] == "model", shown["selection"].str.replace("_", " "))
    named = shown.assign(row=row)
    order = [*named["row"].drop_duplicates(), "proposed"]
    table = named.pivot_table(index="row", columns="proposer", values="share", sort=False)
    proposed = named.groupby("proposer")["proposed"].sum()
    table.loc["proposed"] = proposed / proposed.sum()
    table = table.reindex(index=order, columns=sorted(table.columns))
    axes = heat(figure, table, title)
    axes.set_xlabel("proposed by")
    axes.set_ylabel("picked by")


PICKED_BY = (Show("pick", "selection"), MODEL, LENGTH)
TESTED = (Show("p", "p", p_value), Show("p, Holm", "p_holm", p_value))
TEST = "Brackets are 95% t-intervals over papers; two-sided paired t over papers,"

CHAPTER = Chapter(
    name="pools",
    title="Who asks better, one model or several?",
    asks=(
        "In a pooled game each of several models proposes a question at every turn, and one, the selector, picks from"
        " an unlabelled list in a drawn order. Beside it a random pick, and one model that picks the best of as many"
        " proposals of its own."
    ),
    needs="heuresis run experiment=question_pool",
    tables=tables,
    shown={
        "pool_scores": (
            *(*PICKED_BY, Show("score at T", "mean", real, CI), *N),
            Show("no score", "unrated", whole),
        ),
        "pool_gains": (
            *(*PICKED_BY, Show("gain over solo", "mean", signed, CI), Show("pooled", "first", real)),
            *(Show("solo", "second", real), *TESTED, *N, Show("left out", "left_out", whole)),
        ),
        "selector_differences": (
            *(MODEL, Show("less", "other"), LENGTH, Show("difference", "mean", signed, CI)),
            *(*TESTED, *N, Show("left out", "left_out", whole)),
        ),
        "pick_shares": (
            *(*PICKED_BY, Show("proposer", "proposer"), Show("share of picks", "share", share, BOOT)),
            *(Show("picked", "picked", whole), Show("of", "n", whole), Show("proposed", "proposed", whole)),
            *(Show("of proposals", "of", whole), *N, Show("turns left out", "left_out", whole)),
        ),
    },
    captions={
        "pool_scores": (
            "Table 2. Score (panel mean, 1–10) of the last card of pooled games. The model is the selector; of a random"
            " pick, who writes the cards. A paper's games are averaged first; brackets are 95% t-intervals over papers."
            " No score: finished games that lack a rating, left out."
        ),
        "pool_gains": (
            "Table 2. The pooled score less the same model's solo score at the same number of questions, without a"
            f" survey, paired by paper. {TEST} Holm over the selectors; random and best-of are one test each. Left out:"
            " papers that lack either. Games are those of both; solo games may have been played to a greater length."
        ),
        "selector_differences": (
            f"Each two selectors, paired by paper. {TEST} Holm over all pairs of selectors. Left out: papers that lack"
            " either."
        ),
        "pick_shares": (
            "Figure 5 in numbers: a selector's picks by who proposed the question, over all turns of finished pooled"
            " games, so that its shares sum to 1; brackets are 95% percentile bootstrap intervals over papers, 10,000"
            " draws. Proposed: how many of all proposals were this model's, each counted once. Left out: turns whose"
            " account of proposals does not add up."
        ),
    },
    drawings=drawings,
    figures={
        PICKS: (
            "Share of picks by proposer; a selector's row sums to 1. The last row is the share of all proposals in"
            " these games that came from each: what a blind pick would give. Best-of games, whose proposals are one"
            " model's, are not drawn. Intervals and counts stand in the table."
        ),
    },
    reported=("Table 2",),
    folded=("pick_shares",),
)
