"""Does a good beginning stay ahead: each paper's best and worst game, cut and continued (Table 1)."""

import pandas as pd

from pipelines.analysis.forks import AHEAD, AT_CUT, AT_END, BY, fork_table
from pipelines.report.chapters.chapter import Chapter, Evidence, Tables
from pipelines.report.grid import CONDITION, LENGTH, MODEL, Show, signed
from pipelines.report.words import p_value, share, whole

NAMES = {AT_CUT: "at_cut", AT_END: "at_end", AHEAD: "ahead"}
BOUNDS = {AHEAD: ("boot_low", "boot_high")}
"""A share of few papers has a t-interval that leaves 0 to 1."""
COUNTS = ["n_papers", "n_games", "left_out", "alike", "unscored", "failed", "unrated"]


def tables(evidence: Evidence) -> Tables:
    """fork_table, a row a measure; fork_gaps, its rows side by side; fork_counts, on how many."""
    found = fork_table(evidence.runs.units, evidence.scores, evidence.seed)
    gaps = side_by_side(found)
    return {"fork_table": found, "fork_gaps": gaps, "fork_counts": gaps[[*BY, *COUNTS]]}


def side_by_side(table: pd.DataFrame) -> pd.DataFrame:
    """``fork_table`` with a row per model, condition, T and cut: at_cut, at_end, ahead, each with _low and _high.

    The counts and p are those of the gap at the end.
    """
    found = table.loc[table["measure"] == AT_END, [*BY, "p", "p_holm", *COUNTS]]
    for measure, name in NAMES.items():
        low, high = BOUNDS.get(measure, ("low", "high"))
        names = {"mean": name, low: f"{name}_low", high: f"{name}_high"}
        part = table.loc[table["measure"] == measure, [*BY, *names]].rename(columns=names)
        found = found.merge(part, on=BY, how="left")
    return found.sort_values(["condition", "questions", "cut", "model"], kind="stable").reset_index(drop=True)


CHAPTER = Chapter(
    name="forks",
    title="Does a good beginning stay ahead?",
    asks=(
        "Of each paper and model, the game with the best and the one with the worst final score were cut after k"
        " questions and continued anew, several times, from the problem and those k turns alone."
    ),
    needs="heuresis run experiment=prefix_fork",
    tables=tables,
    shown={
        "fork_gaps": (
            *(MODEL, CONDITION, LENGTH, Show("k", "cut", whole)),
            Show("gap at k", "at_cut", signed, ("at_cut_low", "at_cut_high")),
            Show("gap at T", "at_end", signed, ("at_end_low", "at_end_high")),
            Show("ahead at T", "ahead", share, ("ahead_low", "ahead_high")),
            *(Show("p, gap at T", "p", p_value), Show("p, Holm", "p_holm", p_value)),
            Show("papers", "n_papers", whole),
        ),
        "fork_counts": (
            *(MODEL, CONDITION, LENGTH, Show("k", "cut", whole)),
            *(Show("papers", "n_papers", whole), Show("continuations", "n_games", whole)),
            *(Show("left out", "left_out", whole), Show("best = worst", "alike", whole)),
            *(Show("wait for a score", "unscored", whole), Show("forks failed", "failed", whole)),
            Show("forks unrated", "unrated", whole),
        ),
    },
    captions={
        "fork_gaps": (
            "Table 1. Best side less worst side: at k on the cards of the two games that were cut, at T on the means of"
            " their continuations' final cards; ahead: share of papers whose gap at T is above 0. Brackets are 95%"
            " t-intervals over papers, of shares percentile bootstrap intervals, 10,000 draws; p of the gap at"
            " T by two-sided paired t over papers, Holm over the inquisitors of one k. The gap at k is not tested: both"
            " games were chosen by how they ended, so it is no unbiased one."
        ),
        "fork_counts": (
            "What Table 1 is on. Left out: papers that lack a score on a side. Papers whose games all ended"
            " alike (best = worst) and those that still wait for a score were not forked."
            " Forks that failed or lack a score leave their side's mean to"
            " the others."
        ),
    },
    reported=("Table 1",),
)
