"""Whether a good beginning stays ahead (the paper's Table 1): each paper's best and worst game, cut and continued.

The gap at the cut is between the two sources' cards after k questions; the gap at the end is between the means of
their continuations' final cards; a paper is ahead where that is above 0, never where it is 0. This does not guard
against what choosing by the outcome brings: the sources were chosen by their final scores, so their gap at k is no
unbiased one; the continuations' is, since they were played afterwards.
"""

import numpy as np
import pandas as pd

from pipelines.analysis.curves import ends
from pipelines.analysis.intervals import METHOD, mean_interval
from pipelines.analysis.order import GAME, GROUP, arrange
from pipelines.analysis.paired import pair_up, paired

SIDES = ("best", "worst")
AT_CUT, AT_END, AHEAD = "gap at cut", "gap at end", "ahead"
DESCRIPTIVE = "descriptive, no test"
PLACES = 9
"""Decimals that a difference of means is told from 0 by: equal means may differ in the last bits of a float."""
BY = [*GROUP, "cut"]
EXTREMES = ["paper", *GROUP, "best", "best_score", "worst", "worst_score", "n_games", "unscored", "alike"]
TABLE = [
    *("measure", *BY, "mean", "low", "high", "boot_low", "boot_high", "first", "second", "p", "p_flip", "p_holm"),
    *("n_papers", "n_games", "left_out", "alike", "unscored", "failed", "unrated", "method", "family", "seed"),
]


def extremes(scores: pd.DataFrame) -> pd.DataFrame:
    """Which plain games of each paper have the highest and the lowest final score: one row per paper and ``GROUP``.

    Columns best and worst (games), best_score, worst_score, n_games, unscored (games without a final score), alike.
    Of equals the one of the lowest replicate is taken, then the first by id. Both are NULL where best = worst (alike;
    one game alone is) and where a game still lacks its score: the choice would change when it comes.
    """
    keys = ["paper", *GROUP]
    games = ends(scores.loc[scores["kind"] == "game"])[[*GAME, "questions", "final"]]
    games = games.sort_values([*keys, "replicate", "game"], kind="stable")
    grouped = games.groupby(keys, observed=True)["final"]
    found = pd.DataFrame({"n_games": grouped.size(), "scored": grouped.count()})
    scored = games.dropna(subset=["final"])
    for side, ascending in zip(SIDES, (False, True), strict=True):
        own = scored.sort_values("final", ascending=ascending, kind="stable").drop_duplicates(keys).set_index(keys)
        found = found.join(own[["game", "final"]].rename(columns={"game": side, "final": f"{side}_score"}))
    found = found.assign(unscored=found["n_games"] - found["scored"])
    settled, ahead = found["unscored"] == 0, found["best_score"] > found["worst_score"]
    chosen = settled & ahead
    found = found.assign(**{side: found[side].astype("object").where(chosen, None) for side in SIDES})
    return arrange(found.assign(alike=settled & ~ahead).reset_index()[EXTREMES])


def continuations(units: pd.DataFrame, scores: pd.DataFrame) -> pd.DataFrame:
    """One row per fork: its keys, source, side, cut, continuation, status, at_cut (source's score at k) and final."""
    columns = [*GAME, "questions", "source", "side", "cut", "continuation", "status"]
    own = units.loc[units["kind"] == "fork", columns].astype({"cut": "int64", "questions": "int64"})
    points = scores[["game", "t", "score"]]
    source = points.rename(columns={"game": "source", "t": "cut", "score": "at_cut"})
    last = points.rename(columns={"t": "questions", "score": "final"})
    return own.merge(source, on=["source", "cut"], how="left").merge(last, on=["game", "questions"], how="left")


def fork_papers(forks: pd.DataFrame) -> pd.DataFrame:
    """One row per paper, ``GROUP`` and cut, from ``continuations``: what both sides had at k and at the end.

    Columns first and second (best, worst side), difference and games, with the suffixes _cut and _end; difference_cut
    and difference_end are NULL where any of the four is; ahead (1, 0 or NULL).
    """
    sides = [forks.loc[forks["side"] == side] for side in SIDES]
    sources = [side.drop_duplicates(["source", "cut"]) for side in sides]
    keys = [*BY, "paper"]
    cut, end = pair_up(sources[0], sources[1], BY, "at_cut"), pair_up(sides[0], sides[1], BY, "final")
    found = cut.drop(columns="game").merge(end.drop(columns="game"), on=keys, how="outer", suffixes=("_cut", "_end"))
    whole = found["difference_cut"].notna() & found["difference_end"].notna()
    for name in ("difference_cut", "difference_end"):
        found[name] = found[name].round(PLACES).where(whole)
    return found.assign(ahead=(found["difference_end"] > 0).astype("float64").where(whole), game=found["paper"])


def fork_table(units: pd.DataFrame, scores: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Table 1: gap at cut, gap at end and ahead (a share of papers), by model, condition, T and cut (k).

    Column ``measure`` tells the three. first and second: best and worst side; p of the gap at the end by paired t, Holm
    over the inquisitors of one cut; the gap at the cut is not tested, since it was chosen. n_papers: with both sides at
    k and at the end; left_out: forked papers without; alike: papers whose best = worst, which are not forked; unscored:
    papers that wait for a rating; failed: forks that ended in an error; unrated: finished forks without a final score.
    A side's continuations are averaged as far as they are there. The paper: Gemma at k = 30: 2.28, 2.30, 78%.
    """
    forks = continuations(units, scores)
    papers = fork_papers(forks)
    within = [name for name in BY if name != "model"]
    parts = []
    for measure, suffix in ((AT_CUT, "_cut"), (AT_END, "_end")):
        names = ("first", "second", "difference", "games")
        part = papers.rename(columns={f"{name}{suffix}": name for name in names})
        parts.append(paired(part, BY, seed, within=within).assign(measure=measure))
    parts[0] = parts[0].assign(p=np.nan, p_flip=np.nan, p_holm=np.nan, method=METHOD, family=DESCRIPTIVE)
    share = mean_interval(papers, BY, "ahead", DESCRIPTIVE, seed).drop(columns="n_games")
    share = share.merge(parts[1][[*BY, "n_games", "left_out"]], on=BY, how="left").assign(measure=AHEAD)
    found = pd.concat([part for part in (*parts, share) if len(part)] or parts[:1], ignore_index=True)
    found = found.merge(_lost(forks), on=BY, how="left").merge(_unforked(scores), on=list(GROUP), how="left")
    counts = ["alike", "unscored", "failed", "unrated"]
    return arrange(found.fillna(dict.fromkeys(counts, 0)).astype(dict.fromkeys(counts, "int64")).reindex(columns=TABLE))


def _lost(forks: pd.DataFrame) -> pd.DataFrame:
    """By ``BY``: forks that failed, and finished ones without a final score."""
    marks = forks[BY].assign(
        failed=forks["status"] == "error", unrated=(forks["status"] == "ok") & forks["final"].isna()
    )
    return marks.groupby(BY, observed=True)[["failed", "unrated"]].sum().reset_index()


def _unforked(scores: pd.DataFrame) -> pd.DataFrame:
    """By ``GROUP``: papers whose games are alike, and papers that wait for a score."""
    found = extremes(scores)
    marks = found[list(GROUP)].assign(
        alike=found["alike"].astype("int64"), unscored=(found["unscored"] > 0).astype("int64")
    )
    return marks.groupby(list(GROUP), observed=True)[["alike", "unscored"]].sum().reset_index()


def side_gaps(scores: pd.DataFrame) -> pd.DataFrame:
    """One row per paper and ``GROUP`` whose best and worst game differ: ``gap``, between their final scores."""
    found = extremes(scores)
    chosen = found.loc[found["best"].notna()]
    return chosen.assign(gap=chosen["best_score"] - chosen["worst_score"])[["paper", *GROUP, "gap", "n_games"]]
