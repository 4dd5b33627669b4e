"""Whether the judges agree: in rank (Spearman), in level (a judge less the others), and where they gave no rating."""

from itertools import combinations

import numpy as np
import pandas as pd
from scipy.stats import spearmanr

from pipelines.analysis.intervals import mean_interval
from pipelines.analysis.order import arrange

RANKS = ["cards", "judge", "other", "rho", "n_cards", "n_games", "method", "family"]


def rank_agreement(graded: pd.DataFrame) -> pd.DataFrame:
    """Spearman's rho of each pair of judges over the cards that both rated: once over all cards, once over final ones.

    rho is NULL with fewer than three cards or where a judge's scores do not vary.
    """
    rows = []
    for cards, part in (("all", graded), ("final", graded.loc[graded["t"] == graded["questions"]])):
        table = part.set_index(["game", "t", "judge"])["score"].unstack("judge")
        for judge, other in combinations(sorted(table.columns), 2):
            both = table[[judge, other]].dropna()
            games = both.index.get_level_values("game").nunique()
            rows.append((cards, judge, other, spearman(both), len(both), games, "Spearman rho", "descriptive, no test"))
    return pd.DataFrame(rows, columns=RANKS)


def spearman(pair: pd.DataFrame) -> float:
    """Spearman's rho of two columns, ties by their mean rank; NaN where it is not defined."""
    if len(pair) < 3 or (pair.nunique() < 2).any():
        return float("nan")
    first, second = (pair.iloc[:, column].to_numpy(dtype=np.float64) for column in (0, 1))
    return float(spearmanr(first, second).statistic)


def deviations(graded: pd.DataFrame) -> pd.DataFrame:
    """``graded`` with ``deviation``: a judge's score less the mean of the others on the same card.

    NULL where a judge of the card's panel gave none; without cards whose panel is one judge. Over a card's judges the
    deviations sum to 0, whatever they rate.
    """
    cards = graded.groupby(["game", "t"], observed=True)["score"]
    n, total = cards.transform("size"), cards.transform("sum", skipna=False)
    return graded.loc[n > 1].assign(deviation=graded["score"] - (total - graded["score"]) / (n - 1))


def leniency(graded: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Mean ``deviations`` by judge and model, and by judge over all models.

    Only cards that the whole panel rated, and panels of at least two. ``model`` is NULL in the rows over all models.
    """
    rated = deviations(graded)
    family = "descriptive, no test"
    each = mean_interval(rated, ["judge", "model"], "deviation", family, seed)
    every = mean_interval(rated, ["judge"], "deviation", family, seed).assign(model=None)
    both = [part.astype({"model": "str", "judge": "str"}) for part in (every, each) if len(part)]
    return pd.concat(both, ignore_index=True)[each.columns] if both else each


def missing_ratings(graded: pd.DataFrame) -> pd.DataFrame:
    """Per judge: ``wanted`` ratings, how many are ``missing`` (NULL or not there), and their ``share``."""
    by_judge = graded.groupby("judge", observed=True)["score"]
    found = pd.DataFrame({"wanted": by_judge.size(), "missing": by_judge.size() - by_judge.count()}).reset_index()
    return arrange(found.assign(share=found["missing"] / found["wanted"]))
