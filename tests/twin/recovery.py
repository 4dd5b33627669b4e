"""Whether intervals cover what is true and tests reject at their level: studies of the twin, one after the other.

A study's number comes from the analyses' own functions: the paper's values by `twin.effects`, the interval and the p by
`t_interval`, `bootstrap_interval` and `p_of`. `twin.whole` has the analyses do all of it, to be set against that.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import binom
from scipy.stats import t as student
from twin.effects import breadth_of, paper_values
from twin.study import Cast, play_studies
from twin.worlds import Reals

from pipelines.analysis.answerers import is_flip
from pipelines.analysis.breadth import breadth_curve, centred
from pipelines.analysis.contrast import Test, holm, p_of
from pipelines.analysis.intervals import bootstrap_interval, t_interval
from pipelines.analysis.shares import share_interval

COVERAGE, LEVEL, ERROR = 0.95, 0.05, 0.001
COVERED = ["effect", "truth", "mean", "papers", "n", "hits", "least", "most", "boot_n", "boot_hits"]
Studies = dict[str, list[Reals]]


def region(n: int, p: float) -> tuple[int, int]:
    """The counts that a binomial of n and p keeps to but for one time in a thousand, as (least, most)."""
    return int(binom.ppf(ERROR / 2, n, p)), int(binom.ppf(1 - ERROR / 2, n, p))


class Sample(NamedTuple):
    """What many studies gave. values: `paper_values`; breadth: `breadth_of`; answers: those given again, and labels.

    Each has a column study.
    """

    values: pd.DataFrame
    breadth: pd.DataFrame
    answers: pd.DataFrame


def sample(cast: Cast, studies: int, papers: int, rng: np.random.Generator, batch: int = 20) -> Sample:
    """So many studies, played and read."""
    parts = []
    for first in range(0, studies, batch):
        tables = play_studies(cast, min(batch, studies - first) * papers, rng, first * papers)
        answers = tables.readings.answers
        parts.append((paper_values(cast, tables), breadth_of(tables) if cast.trees else answers.iloc[:0], answers))
    frames = (pd.concat(each, ignore_index=True) for each in zip(*parts, strict=True))
    return Sample(*(frame.assign(study=frame["paper"] // papers) for frame in frames))


def by_study(values: pd.DataFrame) -> Studies:
    """The papers' values of each study, by effect."""
    ordered = values.sort_values(["effect", "study", "paper"], kind="stable")
    return {
        str(effect): [group["value"].to_numpy(dtype=np.float64) for _, group in rows.groupby("study")]
        for effect, rows in ordered.groupby("effect")
    }


def redrawn(values: pd.DataFrame, studies: int, papers: int, rng: np.random.Generator) -> Studies:
    """So many studies of papers drawn with replacement from those at hand, whose mean is then what is true."""
    return {
        str(effect): list(rng.choice(rows["value"].to_numpy(dtype=np.float64), (studies, papers)))
        for effect, rows in values.groupby("effect")
    }


def covered(studies: Studies, truth: Mapping[str, float], boots: int) -> pd.DataFrame:
    """By effect: in how many of n studies the t-interval holds what is true, and the bootstrap's in the first ones.

    papers: on average. least, most: the region of hits.
    """
    rows = []
    for effect, samples in studies.items():
        true, n = truth[effect], len(samples)
        hits = sum(holds(t_interval(sample), true) for sample in samples)
        some = samples[:boots]
        boot = sum(holds(bootstrap_interval(sample, seed), true) for seed, sample in enumerate(some))
        mean, papers = np.mean([sample.mean() for sample in samples]), np.mean([len(sample) for sample in samples])
        rows.append((effect, true, mean, papers, n, hits, *region(n, COVERAGE), len(some), boot))
    return pd.DataFrame(rows, columns=COVERED)


def holds(interval: tuple[float, float], true: float) -> bool:
    """Whether an interval covers a value, but for rounding."""
    return interval[0] - 1e-12 <= true <= interval[1] + 1e-12


def p_values(studies: Studies, test: Test) -> dict[str, Reals]:
    """By effect: p of a mean of zero in each study."""
    return {
        effect: np.array([p_of(sample, test, seed) for seed, sample in enumerate(samples)])
        for effect, samples in studies.items()
    }


def rejected(p: Mapping[str, Reals], test: Test) -> pd.DataFrame:
    """By effect: how many of n studies reject a mean of zero at 5%."""
    rows = [(each, test, len(of), int((of <= LEVEL).sum()), *region(len(of), LEVEL)) for each, of in p.items()]
    return pd.DataFrame(rows, columns=["effect", "test", "n", "rejected", "least", "most"])


def family_wise(p: Mapping[str, Reals]) -> tuple[int, int]:
    """In how many studies Holm's adjustment over a family's tests lets any of them reject, and of how many."""
    table = np.array(list(p.values()))
    return int(sum((holm(column) <= LEVEL).any() for column in table.T)), table.shape[1]


def breadth_covered(games: pd.DataFrame, truth: Mapping[str, float], boots: int) -> pd.DataFrame:
    """The regression on B in the first studies: b2 by its clustered t, the peak by its bootstrap, as ``covered``'s."""
    curves = [breadth_curve(group, int(study)).iloc[0] for study, group in games.groupby("study") if study < boots]
    rows = []
    for effect, value in (("breadth, b2", "b2"), ("breadth, peak", "peak")):
        mean, papers, true = np.median([row[value] for row in curves]), curves[0]["n_papers"], truth[effect]
        hits, boot = 0, 0
        for row in curves:
            reach = student.ppf((1 + COVERAGE) / 2, row["n_papers"] - 1) * row["b2_se"]
            hits += abs(row["b2"] - true) <= reach if value == "b2" else 0
            boot += row["boot_low"] <= true <= row["boot_high"] if value == "peak" else 0
        n = len(curves)
        counts = (n, hits, *region(n, COVERAGE), 0, 0) if value == "b2" else (0, 0, 0, 0, n, boot)
        rows.append((effect, true, mean, papers, *counts))
    return pd.DataFrame(rows, columns=COVERED)


def breadth_truth(games: pd.DataFrame) -> dict[str, float]:
    """b2 and the peak in a whole population of papers: the same regression, without its bootstrap."""
    breadth = games["branches"].to_numpy(dtype=np.float64)
    middle = breadth.mean()
    slope, b2 = centred(games, np.column_stack([breadth - middle, (breadth - middle) ** 2])).test(np.eye(2))[:, 0]
    return {"breadth, b2": float(b2), "breadth, peak": float(middle - slope / (2 * b2))}


def shares_covered(answers: pd.DataFrame, truth: Mapping[str, float], boots: int) -> pd.DataFrame:
    """Shares of all questions that YES or NO is true of: the percentile bootstrap of ``share_interval`` alone."""
    known = answers.loc[(answers["study"] < boots) & (answers["label"] != "UNKNOWN")]
    rows = []
    for value, mark in (("flips", is_flip(known["answer"], known["label"])), ("unknown", known["answer"] == "UNKNOWN")):
        found = share_interval(known.assign(mark=mark), ["answerer", "study"], "mark", 0)
        for answerer, part in found.groupby("answerer"):
            true = truth[f"answerer, {value}, {answerer}"]
            hits = int(((part["boot_low"] <= true) & (true <= part["boot_high"])).sum())
            label = f"share of questions, {value}, {answerer}"
            rows.append((label, true, part["share"].mean(), part["n_papers"].mean(), 0, 0, 0, 0, len(part), hits))
    return pd.DataFrame(rows, columns=COVERED)
