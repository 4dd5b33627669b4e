"""Whether the result hangs on who judges: own family, a judge left out, ranks by each judge (the paper's Tables 4-6).

All on cards after the last question, T, that the whole panel rated, of whatever games the caller gives: the paper's
are those of the survey experiment under every condition. Spearman's rho of each pair of judges is `rank_agreement`'s,
in its rows over final cards. This does not guard against a panel whose judges are wrong in the same way.
"""

from collections.abc import Collection, Mapping

import numpy as np
import pandas as pd

from pipelines.analysis.agreement import deviations
from pipelines.analysis.contrast import contrast
from pipelines.analysis.intervals import mean_interval
from pipelines.analysis.order import arrange
from pipelines.analysis.paired import pair_up

OWN, OTHERS, DIFFERENCE = "own family", "others", "own family less others"
WHOLE, REDUCED = "whole", "own judge left out"
PANEL = "panel"
EVERY = "all"
DESCRIPTIVE = "descriptive, no test"
RANKS = ["judge", "condition", "model", "questions", "mean", "rank", "of", "n_papers", "n_games", "method", "family"]


def final_grades(graded: pd.DataFrame) -> pd.DataFrame:
    """The ratings of cards after the last question, of cards that every judge rated."""
    final = graded.loc[graded["t"] == graded["questions"]]
    whole = final["score"].notna().groupby(final["game"]).transform("all")
    return final.loc[whole].astype({"score": "float64"})


def judge_families(graded: pd.DataFrame, own_family: Mapping[str, Collection[str]], seed: int) -> pd.DataFrame:
    """Table 4: a judge's score less the mean of the others, for inquisitors of its own family and for the rest.

    ``own_family``: by judge, the inquisitors of its family; a judge without any has one row. Columns judge, whose (own
    family, others, own family less others: the last paired by paper), questions and those of ``mean_interval``.
    """
    rated = deviations(final_grades(graded))
    kin = [f"{judge}\n{model}" for judge, models in own_family.items() for model in models]
    own = (rated["judge"].astype("str") + "\n" + rated["model"].astype("str")).isin(kin)
    rated = rated.assign(whose=np.where(own, OWN, OTHERS))
    by = ["judge", "questions"]
    levels = mean_interval(rated, ["judge", "whose", "questions"], "deviation", DESCRIPTIVE, seed)
    own_side, other_side = (rated.loc[rated["whose"] == whose] for whose in (OWN, OTHERS))
    pairs = pair_up(own_side, other_side, by, "deviation").dropna(subset=["difference"])
    gaps = mean_interval(pairs, by, "difference", DESCRIPTIVE, seed).assign(whose=DIFFERENCE)
    gaps["n_games"] = pairs.groupby(by, observed=True)["games"].sum().to_numpy(dtype="int64")
    parts = [part[levels.columns] for part in (levels, gaps) if len(part)]
    return arrange(pd.concat(parts, ignore_index=True) if parts else levels)


def left_out_gains(graded: pd.DataFrame, left_out: Mapping[str, str], seed: int) -> pd.DataFrame:
    """Table 5: what full adds to decoy at T by the whole panel, and without one judge, for each inquisitor.

    ``left_out``: by inquisitor, the judge that is not counted; one without such a judge has the same value twice, as
    in the paper, and left_out is NULL. Columns panel (whole, own judge left out), model, questions, left_out, then
    ``contrast``'s: paired t over papers, Holm over the inquisitors of a panel. Both on the same cards.
    """
    shown = final_grades(graded)
    shown = shown.loc[shown["condition"].isin(["decoy", "full"])]
    absent = shown["model"].map(dict(left_out)).astype("object")
    gone = absent.eq(shown["judge"].astype("object"))
    keys = ["game", "paper", "model", "condition", "questions"]
    parts = []
    for panel, part in ((WHOLE, shown), (REDUCED, shown.loc[~gone])):
        score = part.groupby(keys, observed=True)["score"].mean().reset_index()
        full, decoy = (score.loc[score["condition"] == name] for name in ("full", "decoy"))
        parts.append(pair_up(full, decoy, ["model", "questions"]).assign(panel=panel))
    gains = pd.concat(parts, ignore_index=True)
    gains = gains.assign(difference=gains["difference"].round(9))  # equal gains may differ in their last bit
    found = contrast(gains, ["panel", "model", "questions"], "difference", "t", seed)
    missed = shown.loc[gone, ["model", "questions", "judge"]].drop_duplicates().rename(columns={"judge": "left_out"})
    found = found.merge(missed.assign(panel=REDUCED), on=["panel", "model", "questions"], how="left")
    order = found["panel"].map({WHOLE: 0, REDUCED: 1})
    return arrange(found.assign(_panel=order).sort_values("_panel", kind="stable").drop(columns="_panel"))


def inquisitor_ranks(graded: pd.DataFrame) -> pd.DataFrame:
    """Table 6: rank of each inquisitor (1 is best, ties by their mean rank) by each judge and by the whole panel.

    Under each condition, and over all of them (``condition`` is all): the paper does not say which its table has.
    Columns mean (score at T, a paper's games averaged first), rank, of (inquisitors ranked), n_papers, n_games.
    """
    final = final_grades(graded)
    keys = ["game", "paper", "model", "condition", "questions"]
    panel = final.groupby(keys, observed=True)["score"].mean().reset_index().assign(judge=PANEL)
    both = pd.concat([final[["judge", *keys, "score"]].astype({"judge": "str"}), panel], ignore_index=True)
    both = pd.concat([both, both.assign(condition=EVERY)], ignore_index=True)
    by = ["judge", "condition", "model", "questions"]
    papers = both.groupby([*by, "paper"], observed=True)["score"].agg(["mean", "size"])
    over = papers.groupby(by, observed=True)
    ranked = over.agg(mean=("mean", "mean"), n_papers=("mean", "size"), n_games=("size", "sum")).reset_index()
    whole = ranked.assign(mean=ranked["mean"].round(9))  # equal means may differ in their last bit
    field = whole.groupby(["judge", "condition", "questions"], observed=True)["mean"]
    ranked = ranked.assign(rank=field.rank(ascending=False), of=field.transform("size"))
    method = "rank of the mean over papers, 1 is best, ties by their mean rank"
    return arrange(ranked.assign(method=method, family=DESCRIPTIVE)[RANKS])
