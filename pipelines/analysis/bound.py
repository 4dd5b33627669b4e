"""How much a game's answers could tell at most, and beside it how evenly they fall.

Neither is what was learnt. T log2|A| bits is the most that T answers out of |A| can carry about the solution; under a
survey the survey's own information, I(S;C|P), comes on top and is not in it. The entropy is that of the answers as they
fell: a game whose answers fall evenly need not have learnt a thing.
"""

from math import log2

import numpy as np
import pandas as pd
from scipy.stats import entropy

from pipelines.analysis.intervals import METHOD, mean_interval
from pipelines.analysis.order import GAME, GROUP, arrange
from pipelines.analysis.questions import ANSWERS

ENTROPY = "plug-in entropy of a game's answers, each by itself"


def bound(questions: int, answers: int = len(ANSWERS)) -> float:
    """T log2|A| in bits: the paper's 158.5 for T = 100 and 47.5 for T = 30, with three answers."""
    return questions * log2(answers)


def answer_bounds(units: pd.DataFrame, turns: pd.DataFrame, seed: int) -> pd.DataFrame:
    """By model, condition and T: ``bound`` (bits a game), and the answers' entropy, of finished plain games.

    mean, low, high, boot_low, boot_high: entropy in bits an answer, at most log2|A|; ``total``: T times its mean, in
    bits a game, no more than ``bound``; ``answers`` is |A|, ``survey`` whether I(S;C|P) comes on top of the bound.
    """
    played = units.loc[(units["kind"] == "game") & (units["status"] == "ok"), [*GAME, "questions"]]
    own = turns.loc[turns["unit"].isin(played["game"]), ["unit", "answer"]].astype("str")
    counts = own.groupby(["unit", "answer"]).size().unstack("answer", fill_value=0).reindex(columns=ANSWERS).fillna(0)
    bits = entropy(counts.to_numpy(dtype=np.float64), base=2, axis=1) if len(counts) else np.empty(0)
    games = played.merge(pd.DataFrame({"game": counts.index.astype("str"), "entropy": bits}), on="game")
    found = mean_interval(games, GROUP, "entropy", "descriptive, no test", seed)
    length = found["questions"].astype("float64")
    return arrange(
        found.assign(
            answers=len(ANSWERS),
            bound=length.map(bound),
            total=length * found["mean"].astype("float64"),
            survey=found["condition"] != "none",
            method=f"{ENTROPY}; {METHOD}",
        )
    )
