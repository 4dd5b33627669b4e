"""What knowing the idea beforehand explains: the closed-book probe against the gaps of played games.

A model lists the idea where two annotators agree that the union of its lists holds it. The paper: a gap of 2.54, and
2.28 on the 24 of 100 papers "where both list the idea", so knowledge closes 10.2% of it. It does not say whose gap.
Our reading: **between two inquisitors**, stronger less weaker, final score without a survey, for "both" can be two
models only (a paper's games of one model share its one probe), and where both know the idea knowledge cannot tell them
apart. Beside it stands the other reading, **between games**: best less worst game of one model on a paper (Table 1's
sources), where that model lists the idea. This does not guard against knowledge that a list of candidates misses, nor
against papers that are easy for another reason than that they are known.
"""

from itertools import combinations

import numpy as np
import pandas as pd

from pipelines.analysis.annotators import agreed, kappas
from pipelines.analysis.correlation import draws
from pipelines.analysis.curves import ends
from pipelines.analysis.forks import side_gaps
from pipelines.analysis.intervals import LEVEL, mean_interval
from pipelines.analysis.paired import pair_up

BETWEEN_MODELS, BETWEEN_GAMES = "between inquisitors", "between games"
DESCRIPTIVE = "descriptive, no test"
METHOD = "gap: mean over papers, t-interval; closed: (all - listed) / all, 95% percentile bootstrap over papers, 10,000"
LISTED = ["game", "paper", "model", "listed", "disputed"]
GAPS = ["gap", "model", "other", "questions", "paper", "difference", "games", "listed"]
KNOWLEDGE = [
    *("gap", "model", "other", "questions", "mean", "low", "high", "boot_low", "boot_high", "n_papers", "n_games"),
    *("listed_mean", "listed_low", "listed_high", "n_listed", "closed", "closed_low", "closed_high", "left_out"),
    *("method", "family", "seed"),
]


def listed(recognitions: pd.DataFrame) -> pd.DataFrame:
    """One row per probe: ``listed`` (1: its annotators agree that its lists hold the idea; NULL: not wholly read)."""
    keys = recognitions[["game", "paper", "model"]].drop_duplicates("game")
    marks = agreed(recognitions, ["game"], ["listed"]).rename(columns={"listed_disputed": "disputed"})
    return keys.merge(marks, on="game").sort_values(["model", "paper"], kind="stable")[LISTED].reset_index(drop=True)


def listing_rates(probes: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Share of papers whose idea each model lists, from ``listed``; left_out: not wholly read; disputed count as 0."""
    lost = probes["listed"].isna().groupby(probes["model"], observed=True).sum().rename("left_out")
    disputed = probes.groupby("model", observed=True)["disputed"].sum().astype("int64")
    counts = pd.DataFrame({"left_out": lost.astype("int64"), "disputed": disputed}).reset_index()
    found = mean_interval(probes, ["model"], "listed", DESCRIPTIVE, seed)
    return found.astype({"model": "str"}).merge(counts.astype({"model": "str"}), on="model", how="left")


def recognition_kappas(recognitions: pd.DataFrame) -> pd.DataFrame:
    """Cohen's kappa of each pair of annotators on whether a probe holds the idea, as ``annotators.kappas`` tells it."""
    return kappas(recognitions.assign(t=0, place="probe"), ["listed"])


def knowledge_gaps(scores: pd.DataFrame, probes: pd.DataFrame) -> pd.DataFrame:
    """One row per gap and paper, of both readings; ``probes``: ``listed``'s rows.

    Columns gap (the reading), model and other (stronger and weaker by the mean over shared papers; between games other
    is NULL), questions, paper, difference, games, listed (1 where the model, or both, list the idea; NULL: unknown).
    """
    plain = scores.loc[(scores["kind"] == "game") & (scores["condition"] == "none")]
    knows = probes.groupby(["model", "paper"], observed=True)["listed"].min().reset_index()
    knows = knows.astype({"model": "str", "paper": "str"})
    parts = [*_between_models(plain, knows), _between_games(plain, knows)]
    return pd.concat([part for part in parts if len(part)] or parts[-1:], ignore_index=True)[GAPS]


def _between_games(plain: pd.DataFrame, knows: pd.DataFrame) -> pd.DataFrame:
    """Best less worst game of each model that has probes."""
    gaps = side_gaps(plain).rename(columns={"gap": "difference", "n_games": "games"})
    gaps = gaps.loc[gaps["model"].isin(knows["model"])].assign(gap=BETWEEN_GAMES, other=None)
    return gaps.astype({"model": "str", "paper": "str"}).merge(knows, on=["model", "paper"], how="left")


def _between_models(plain: pd.DataFrame, knows: pd.DataFrame) -> list[pd.DataFrame]:
    """Stronger less weaker of each two inquisitors that have probes; NULL listed where one has no known reading."""
    final = ends(plain)[["model", "paper", "questions", "game", "final"]].astype({"model": "str", "paper": "str"})
    table = knows.set_index(["paper", "model"])["listed"].unstack("model")
    parts = []
    for pair in combinations(table.columns, 2):
        both = table[list(pair)].min(axis=1, skipna=False).rename("listed").reset_index()
        sides = [final.loc[final["model"] == name] for name in pair]
        gaps = pair_up(sides[0], sides[1], ["questions"], "final").merge(both, on="paper", how="left")
        gaps = gaps.dropna(subset=["difference"]).assign(gap=BETWEEN_MODELS)
        weaker = gaps.groupby("questions")["difference"].transform("mean") < 0
        stronger, other = (np.where(weaker, *names) for names in (pair[::-1], pair))
        signed = gaps["difference"].where(~weaker, -gaps["difference"])
        parts.append(gaps.assign(model=stronger, other=other, difference=signed))
    return parts


def knowledge(gaps: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Each gap over all papers, over those where the idea is listed, and the share of it that knowledge closes.

    From ``knowledge_gaps``. Columns gap, model, other, questions; mean, its intervals, n_papers, n_games: all papers
    whose reading is known; listed_mean, listed_low, listed_high (t), n_listed; closed: (mean - listed_mean) / mean, a
    share that may be below 0, with a bootstrap over papers (NULL where no paper is listed, where the gap is not above
    0, and bounds also with fewer than two listed); left_out: papers with a gap whose reading is not known.
    """
    named = gaps.assign(other=gaps["other"].astype("object").where(gaps["other"].notna(), ""), game=gaps["paper"])
    keys = ["gap", "model", "other", "questions"]
    known = named.dropna(subset=["listed", "difference"])
    found = mean_interval(known, keys, "difference", DESCRIPTIVE, seed)
    found["n_games"] = known.groupby(keys, observed=True)["games"].sum().to_numpy(dtype="int64")
    own = mean_interval(known.loc[known["listed"] == 1], keys, "difference", DESCRIPTIVE, seed)
    new = {"mean": "listed_mean", "low": "listed_low", "high": "listed_high", "n_papers": "n_listed"}
    found = found.merge(own.rename(columns=new)[[*keys, *new.values()]], on=keys, how="left")
    closed = [(*key, *closed_share(part, seed)) for key, part in known.groupby(keys, observed=True)]
    shares = pd.DataFrame(closed, columns=[*keys, "closed", "closed_low", "closed_high"])
    lost = named["listed"].isna().groupby([named[key] for key in keys], observed=True).sum().rename("left_out")
    found = found.merge(shares, on=keys, how="left").merge(lost.reset_index(), on=keys, how="left")
    counts = {"n_listed": "int64", "left_out": "int64"}
    found = found.fillna({"n_listed": 0, "left_out": 0}).astype(counts).assign(method=METHOD)
    order = found["gap"].map({BETWEEN_MODELS: 0, BETWEEN_GAMES: 1})
    found = found.assign(other=found["other"].where(found["other"] != "", None), _order=order)
    return found.sort_values(["_order", "mean"], ascending=[True, False], kind="stable")[KNOWLEDGE].reset_index(
        drop=True
    )


def closed_share(papers: pd.DataFrame, seed: int) -> tuple[float, float, float]:
    """Share of the gap that is closed where the idea is listed, and its interval; ``papers`` has difference, listed.

    Draws without a listed paper, or whose gap is not above 0, have no share and are left out.
    """
    gap, own = (papers[name].to_numpy(dtype=np.float64) for name in ("difference", "listed"))
    if not own.any() or gap.mean() <= 0:
        return (float("nan"),) * 3
    closed = float(1 - gap[own == 1].mean() / gap.mean())
    if own.sum() < 2:
        return closed, float("nan"), float("nan")
    n, total, listed_n, listed_total = (draws(len(gap), seed) @ np.stack([np.ones_like(gap), gap, own, gap * own], 1)).T
    usable = (listed_n > 0) & (total > 0)
    shares = 1 - (listed_total[usable] / listed_n[usable]) / (total[usable] / n[usable])
    low, high = np.percentile(shares, [50 * (1 - LEVEL), 50 * (1 + LEVEL)])
    return closed, float(low), float(high)
