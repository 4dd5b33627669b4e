"""Whether people agree on which of two cards recovers more, and whether the panel agrees with them.

``labels`` has one row per pair and annotator, as `pipelines.labels` keeps them: pair, paper, game_a, t_a, game_b, t_b,
annotator, choice (A, B, tie). The paper: 498 pairs, three annotators, Fleiss' kappa .83; the panel agrees with the
majority in 91.2%, and in 97.8% where both prefer one card. This does not guard against people that err alike.
"""

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from statsmodels.stats.inter_rater import fleiss_kappa  # type: ignore[import-untyped]

from pipelines.analysis.shares import share_interval

CHOICES = ("A", "B", "tie")
CARDS = ["game_a", "t_a", "game_b", "t_b"]
MAJORITY = ["pair", "paper", *CARDS, *CHOICES, "annotators", "majority"]
KAPPA = ["kappa", "unanimous", "n_pairs", "n_annotators", "left_out", "method", "family"]
ALL, PREFER = "all", "both prefer a card"


def people_kappa(labels: pd.DataFrame) -> pd.DataFrame:
    """Fleiss' kappa over the pairs that every annotator labelled: one row, none where there is no such pair.

    Columns kappa (NULL where all choices are one and the same), unanimous (share of pairs), n_pairs, n_annotators,
    left_out (pairs that someone did not label), method, family.
    """
    table = counts(labels, "pair", "choice", CHOICES)
    annotators = labels["annotator"].nunique()
    whole = table.loc[table.sum(axis=1) == annotators].to_numpy(dtype=np.float64)
    if annotators < 2 or not len(whole):
        return pd.DataFrame(columns=KAPPA)
    unanimous = float((whole == annotators).any(axis=1).mean())
    row = (fleiss(whole), unanimous, len(whole), annotators, len(table) - len(whole))
    return pd.DataFrame([(*row, "Fleiss' kappa over pairs that all labelled", "descriptive, no test")], columns=KAPPA)


def fleiss(table: NDArray[np.float64]) -> float:
    """Fleiss' kappa of counts, a row a subject, a column a choice; NaN where one choice has all."""
    if (table.sum(axis=0) > 0).sum() < 2:
        return float("nan")
    return float(fleiss_kappa(table, method="fleiss"))


def counts(labels: pd.DataFrame, item: str, value: str, values: tuple[str, ...]) -> pd.DataFrame:
    """How often each of ``values`` was given, a row an ``item``, a column a value."""
    table = labels.groupby([item, value], observed=True).size().unstack(value, fill_value=0)
    return table.reindex(columns=list(values), fill_value=0).astype("int64")


def majority(table: pd.DataFrame) -> pd.Series:
    """What more than half of a row's annotators chose; NULL where no choice has as many."""
    most = table.max(axis=1) * 2 > table.sum(axis=1)
    return table.idxmax(axis=1).astype("object").where(most, None) if len(table) else pd.Series(dtype="object")


def pair_majorities(labels: pd.DataFrame) -> pd.DataFrame:
    """One row per pair: its cards, votes for A, B and tie, annotators, and the ``majority`` (NULL: none has it)."""
    table = counts(labels, "pair", "choice", CHOICES)
    voted = table.assign(annotators=table.sum(axis=1), majority=majority(table)).reset_index()
    facts = labels.drop_duplicates("pair")[["pair", "paper", *CARDS]]
    return facts.merge(voted, on="pair").sort_values("pair", kind="stable")[MAJORITY].reset_index(drop=True)


def panel_choices(pairs: pd.DataFrame, scores: pd.DataFrame) -> pd.DataFrame:
    """``pairs`` with ``score_a``, ``score_b`` and ``panel``: A, B, tie (equal scores), NULL without either score."""
    points = scores[["game", "t", "score"]]
    found = pairs
    for side in ("a", "b"):
        own = points.rename(columns={"game": f"game_{side}", "t": f"t_{side}", "score": f"score_{side}"})
        found = found.merge(own, on=[f"game_{side}", f"t_{side}"], how="left")
    ahead = (found["score_a"].astype("float64") - found["score_b"].astype("float64")).round(9)
    chosen = np.select([ahead > 0, ahead < 0, ahead == 0], CHOICES, "")
    return found.assign(panel=pd.Series(chosen, index=found.index, dtype="object").where(ahead.notna(), None))


def panel_agreement(labels: pd.DataFrame, scores: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Share of pairs in which the panel's choice is the people's majority: of all, and where both prefer one card.

    ``scores``: `panel_scores`. Columns pairs (all, both prefer a card), those of ``share_interval`` with ``n`` pairs,
    and over all pairs no_majority (people have none) and unscored (the panel has none): both are left out.
    """
    pairs = panel_choices(pair_majorities(labels), scores)
    lacking = {"no_majority": int(pairs["majority"].isna().sum()), "unscored": int(pairs["panel"].isna().sum())}
    known = pairs.dropna(subset=["majority", "panel"])
    known = known.assign(same=(known["majority"] == known["panel"]).astype("float64"))
    prefer = known.loc[(known["majority"] != "tie") & (known["panel"] != "tie")]
    both = pd.concat([known.assign(pairs=ALL), prefer.assign(pairs=PREFER)], ignore_index=True)
    return share_interval(both, ["pairs"], "same", seed).assign(**lacking)
