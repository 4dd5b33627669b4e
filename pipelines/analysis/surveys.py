"""What a survey of the field brings (the paper's Figures 6 and 7): final scores by condition, and their differences.

Plain games alone. This does not guard against papers whose survey was refused: they have no game under it, and fall
out of the pairs that need one (left_out).
"""

import numpy as np
import pandas as pd
from scipy.stats import pearsonr

from pipelines.analysis.correlation import pearson
from pipelines.analysis.curves import curves
from pipelines.analysis.order import arrange
from pipelines.analysis.paired import OUTCOME, pair_up, paired

CONTRASTS = (
    ("full", "decoy"),
    ("full", "none"),
    ("decoy", "none"),
    ("dummy", "none"),
    ("decoy", "dummy"),
    ("full", "dummy"),
)
"""A condition and what it is set against; the first is the paper's."""
BY = ["model", "condition", "against", "questions"]
START = ["condition", "against", "questions", "r", "p", "n_models", "models", "method", "family", "note"]
NOTE = "descriptive: few models, no sample; and the gain contains the {against} score, which alone draws r below 0"


def final_cards(scores: pd.DataFrame) -> pd.DataFrame:
    """The rows of ``scores`` that are final cards of plain games."""
    return scores.loc[(scores["kind"] == "game") & (scores["t"] == scores["questions"])]


def condition_scores(scores: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Figure 6: mean final score by model, condition and T, over papers; unrated: games without one, left out."""
    final = final_cards(scores)
    by = ["model", "condition", "questions"]
    lost = final["score"].isna().groupby([final[name] for name in by], observed=True).sum().rename("unrated")
    return arrange(curves(final, seed).merge(lost.reset_index(), on=by, how="left"))


def condition_gains(scores: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Figure 7: final score under one condition less that under another, paired by paper, by ``CONTRASTS`` and model.

    Columns model, condition, against, questions, then ``paired``'s: mean is the gain, first and second the scores under
    condition and against, Holm over the inquisitors of a contrast. The paper, decoy to full: DeepSeek 4.93 to 6.18.
    """
    final = final_cards(scores)
    parts = []
    for condition, against in CONTRASTS:
        sides = [final.loc[final["condition"] == name] for name in (condition, against)]
        pairs = pair_up(sides[0], sides[1], ["model", "questions"]).assign(condition=condition, against=against)
        parts.append(paired(pairs, BY, seed, within=["condition", "against", "questions"]))
    found = pd.concat([part for part in parts if len(part)] or parts[:1], ignore_index=True)
    return found[[*BY, *OUTCOME]]


def gain_and_start(gains: pd.DataFrame) -> pd.DataFrame:
    """Pearson's r over models between the gain and the score it starts from, for each contrast and T.

    ``gains``: ``condition_gains``, or any frame with its columns ``BY``, mean (gain) and second (start). Columns r and
    p (NULL with fewer than three models or no variation), n_models, models, method, family, note (what keeps it from
    being a finding). The paper's -.743 (p .091) comes of Table 5's gains on Figure 6's decoy scores; Figure 7's own
    differences, full less decoy, give -.734 (p .096).
    """
    rows = []
    for key, group in gains.dropna(subset=["mean", "second"]).groupby(BY[1:], observed=True, sort=False):
        gain, start = (group[name].to_numpy(dtype=np.float64) for name in ("mean", "second"))
        r = pearson(gain, start)
        p = float("nan") if np.isnan(r) else float(pearsonr(gain, start).pvalue)
        said = NOTE.format(against=key[1])
        rows.append((*key, r, p, len(group), ", ".join(group["model"].astype("str")), said))
    found = pd.DataFrame(rows, columns=[*START[:7], "note"])
    return found.assign(method="Pearson r over models, two-sided p", family="descriptive, no test")[START]
