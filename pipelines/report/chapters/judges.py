"""Does the result hang on who judges: own family, a judge left out, ranks by judge (Tables 4-6), people's pairs."""

from collections.abc import Collection, Mapping

import pandas as pd

from pipelines.analysis import panel, people
from pipelines.analysis.agreement import rank_agreement
from pipelines.report.chapters.chapter import Chapter, Evidence, Tables
from pipelines.report.chapters.labelled import labels_of
from pipelines.report.grid import CONDITION, LENGTH, MODEL, N, Show, signed
from pipelines.report.words import p_value, real, share, whole

CI, BOOT = ("low", "high"), ("boot_low", "boot_high")
RANKED = ["condition", "model", "questions"]


def tables(evidence: Evidence) -> Tables:
    """final_agreement, judge_families, left_out_gains, inquisitor_ranks, judge_ranks, people_kappa, panel_agreement."""
    graded, seed = evidence.graded.loc[evidence.graded["kind"] == "game"], evidence.seed
    agreement = rank_agreement(graded)
    families = panel.judge_families(graded, evidence.own_family, seed)
    ranks = panel.inquisitor_ranks(graded)
    labels = labels_of(evidence.runs, "pairs")
    return {
        "final_agreement": agreement.loc[agreement["cards"] == "final"].reset_index(drop=True),
        "judge_families": families.assign(inquisitors=kin(families, evidence.own_family)),
        "left_out_gains": panel.left_out_gains(graded, evidence.left_out, seed),
        "inquisitor_ranks": ranks,
        "judge_ranks": side_by_side(ranks),
        "people_kappa": people.people_kappa(labels),
        "panel_agreement": people.panel_agreement(labels, evidence.scores, seed),
    }


def kin(families: pd.DataFrame, own_family: Mapping[str, Collection[str]]) -> pd.Series:
    """For each row of ``judge_families``: which inquisitors are of the judge's family, in words; NULL for none."""
    names = {judge: ", ".join(sorted(models)) or None for judge, models in own_family.items()}
    return families["judge"].astype("object").map(names)


def side_by_side(ranks: pd.DataFrame) -> pd.DataFrame:
    """``inquisitor_ranks`` with a row per condition, T and model: the panel's mean and rank, and ``by_judge`` in words.

    Without the rows over all conditions where there is only one.
    """
    if ranks["condition"].nunique() < 3:
        ranks = ranks.loc[ranks["condition"] != panel.EVERY]
    own = ranks.loc[ranks["judge"] != panel.PANEL]
    said = own.assign(by_judge=own["judge"].astype("str") + " " + own["rank"].map("{:g}".format).astype("str"))
    lists = said.groupby(RANKED, observed=True, sort=False)["by_judge"].agg(", ".join).reset_index()
    whole_panel = ranks.loc[ranks["judge"] == panel.PANEL, [*RANKED, "mean", "rank", "of", "n_papers", "n_games"]]
    found = whole_panel.merge(lists, on=RANKED, how="left")
    return found.sort_values(["questions", "condition", "rank"], kind="stable", key=_in_order).reset_index(drop=True)


def _in_order(column: pd.Series) -> pd.Series:
    """Conditions as a reader meets them, and all of them last."""
    order = ("none", "dummy", "decoy", "full", panel.EVERY)
    return column.astype("str").map(order.index) if column.name == "condition" else column


FINAL = "On cards after the last question of plain games that every judge of the panel rated."
TESTED = (Show("p", "p", p_value), Show("p, Holm", "p_holm", p_value))

CHAPTER = Chapter(
    name="panel",
    title="Does the result hang on who judges?",
    asks=(
        "The same final cards by each judge: whether judges rank them alike, favour inquisitors of their own family,"
        " and whether the gain from decoy to full, or the order of inquisitors, stands without one of them. How far"
        " judges agree over all cards stands above; a panel whose judges err alike is not found out by either."
    ),
    needs="heuresis run experiment=survey",
    tables=tables,
    shown={
        "final_agreement": (
            *(Show("judge", "judge"), Show("other", "other"), Show("Spearman ρ", "rho", real)),
            *(Show("rated by both", "n_cards", whole), Show("games", "n_games", whole)),
        ),
        "judge_families": (
            *(Show("judge", "judge"), Show("inquisitors", "whose"), LENGTH),
            Show("judge less the others", "mean", signed, CI),
            *N,
            Show("own family is", "inquisitors"),
        ),
        "left_out_gains": (
            *(Show("panel", "panel"), MODEL, LENGTH),
            Show("decoy to full", "mean", signed, CI),
            *TESTED,
            *N,
            Show("judge left out", "left_out"),
        ),
        "judge_ranks": (
            *(CONDITION, LENGTH, MODEL),
            *(Show("final score", "mean", real), Show("rank by the panel", "rank", "{:g}".format)),
            *(Show("of", "of", whole), Show("rank by each judge", "by_judge"), *N),
        ),
        "people_kappa": (
            *(Show("Fleiss κ", "kappa", real), Show("unanimous", "unanimous", share), Show("pairs", "n_pairs", whole)),
            *(Show("annotators", "n_annotators", whole), Show("not labelled by all", "left_out", whole)),
        ),
        "panel_agreement": (
            *(Show("pairs of cards", "pairs"), Show("panel agrees with the majority", "share", share, BOOT)),
            *(Show("agree", "count", whole), Show("of", "n", whole), Show("papers", "n_papers", whole)),
            *(Show("no majority", "no_majority", whole), Show("no score", "unscored", whole)),
        ),
    },
    captions={
        "final_agreement": (
            "Spearman's ρ of each pair of judges over the final cards of plain games that both rated; ties by their"
            " mean rank, no interval."
        ),
        "judge_families": (
            f"Table 4. {FINAL} A judge's score less the mean of the other judges on the same card, for inquisitors of"
            " its own family (as the runs' settings name them, last column) and for the others; their difference is"
            " paired by paper. A paper's games are averaged first; brackets are 95% t-intervals over papers."
            " Descriptive, no test. Over the judges of a card these sum to 0."
        ),
        "left_out_gains": (
            f"Table 5. {FINAL} Final score under full less that under decoy, paired by paper, by the whole panel and"
            " without the judge that the runs' settings name for the inquisitor (last column; – where none is: then"
            " both rows are the same). Brackets are 95% t-intervals over papers; two-sided paired t over papers, Holm"
            " over the inquisitors of a panel. Papers that lack a condition are left out; games are those of both."
        ),
        "judge_ranks": (
            f"Table 6. {FINAL} Inquisitors by mean score (a paper's games averaged first), 1 is best, ties by their"
            " mean rank; under each survey and over all, as the paper does not say which it has. Descriptive, no test."
            " Each judge's means stand in tables/inquisitor_ranks.csv."
        ),
        "people_kappa": (
            "Whether people agree which of two final cards recovers more (A, B or tie): Fleiss' κ over the pairs that"
            " every annotator labelled; no interval. Left out: pairs that someone did not label."
        ),
        "panel_agreement": (
            "The panel's choice (the higher score; equal is a tie) against what more than half of the annotators chose:"
            " over all pairs, and where both prefer one card. Brackets are 95% percentile bootstrap intervals over"
            " papers, 10,000 draws. Left out: pairs without a majority, and without both scores. People may err alike."
        ),
    },
    reported=("Table 4", "Table 5", "Appendix B", "Human pairs"),
    folded=("judge_ranks",),
)
