"""Whether games of middling breadth end best (Figure 9, right): the final score against B, the top-level branches.

score ~ B + B^2 + effects of models and papers; errors clustered by paper. The papers' effects are taken out by
centring within papers, which gives the same coefficients as a dummy each. They lie within the clusters, so the
small-sample factor G / (G - 1) * (n - 1) / (n - k) does not count them in k; Student's t has G - 1 degrees of freedom.
It describes games as they were played, not what a model would gain if it were made to open more branches.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import t as student
from statsmodels.regression.linear_model import OLS  # type: ignore[import-untyped]

from pipelines.analysis.correlation import draws
from pipelines.analysis.intervals import LEVEL

WIDE = 18
ALPHA = 0.05
GAME_COLUMNS = ["game", "paper", "model", "questions", "branches", "score"]
FAMILY = "descriptive; one regression, no correction"
METHOD = "OLS, effects of models and papers, errors clustered by paper"
PEAK = "peak: percentile bootstrap over papers, 10,000; inverted U: b2 < 0 and both end slopes by one-sided t at 5%"
CURVE = [
    *("questions", "b1", "b1_se", "b2", "b2_se", "b2_p", "peak", "boot_low", "boot_high", "humped"),
    *("lowest", "highest", "slope_low", "slope_low_p", "slope_high", "slope_high_p", "shape"),
    *("n_games", "n_papers", "n_models", "left_out", "method", "family", "seed"),
]
EFFECTS = ["questions", "group", "effect", "low", "high", "n_games", "n_papers", "method", "family"]

Values = NDArray[np.float64]


@dataclass(frozen=True)
class Centred:
    """One regression's data, centred within papers: ``x`` what is of interest, ``models`` a dummy each but one."""

    y: Values
    x: Values
    models: Values
    paper: NDArray[np.int64]

    @property
    def whole(self) -> Values:
        """All columns."""
        return np.hstack([self.x, self.models])

    @property
    def enough(self) -> bool:
        """Whether there are papers to cluster by and games left over."""
        papers = len(np.unique(self.paper))
        return papers > 2 and rank_of(self.whole) > 0 and len(self.y) - papers - rank_of(self.whole) > 0

    def test(self, wanted: Values) -> Values:
        """Estimate, clustered error, t and two-sided p of each row of ``wanted``: weights of x's coefficients.

        NaN where models and papers tell it not apart. Least squares on an orthonormal basis of the columns, so that
        columns which hang on one another are no trouble.
        """
        left, sizes, right = np.linalg.svd(self.whole, full_matrices=False)
        rank = rank_of(self.whole)
        weights = np.hstack([wanted, np.zeros((len(wanted), self.models.shape[1]))])
        lost = np.abs(weights - weights @ right[:rank].T @ right[:rank]).max(axis=1) > 1e-6
        clusters = {"groups": self.paper, "use_correction": True}
        fitted = OLS(self.y, left[:, :rank]).fit(cov_type="cluster", cov_kwds=clusters, use_t=True)
        tested = fitted.t_test(weights @ right[:rank].T / sizes[:rank])
        found = np.column_stack([np.ravel(part) for part in (tested.effect, tested.sd, tested.tvalue, tested.pvalue)])
        found[lost] = np.nan
        return found


def breadth_games(trees: pd.DataFrame, scores: pd.DataFrame) -> pd.DataFrame:
    """One row per game with a tree: ``branches`` (B) and its final ``score``, NULL where one is missing.

    ``trees`` from ``trees.tree_games`` (of one annotator), ``scores`` from ``scores.panel_scores``.
    """
    last = scores.loc[scores["t"] == scores["questions"], ["game", "score"]]
    return trees.drop_duplicates("game").merge(last, on="game", how="left")[GAME_COLUMNS]


def centred(games: pd.DataFrame, x: Values) -> Centred:
    """The regression of the score on ``x``, columns for ``games``; one model's dummy is left out."""
    paper = pd.factorize(games["paper"])[0].astype(np.int64)
    dummies = pd.get_dummies(games["model"], drop_first=True, dtype=float).to_numpy(dtype=np.float64)
    whole = pd.DataFrame(np.column_stack([games["score"].to_numpy(dtype=np.float64), x, dummies]))
    within = (whole - whole.groupby(paper).transform("mean")).to_numpy(dtype=np.float64)
    end = 1 + x.shape[1]
    return Centred(within[:, 0], within[:, 1:end], within[:, end:], paper)


def breadth_curve(games: pd.DataFrame, seed: int) -> pd.DataFrame:
    """One row per T: the quadratic, its peak -b1 / (2 b2), and whether it is an inverted U (the paper: peak at 8.3).

    lowest, highest: the least and the greatest B; slope_low, slope_high: b1 + 2 b2 B there, each with its one-sided p
    (above 0 at the low end, below 0 at the high one: Lind and Mehlum's test). ``shape`` is "inverted U" only if b2 < 0
    and both are below 5%, else "no inverted U"; "not estimable" where there are too few papers or B hangs on model and
    paper alone. boot_low, boot_high: of the peak over all draws of papers; humped: the share of draws with b2 < 0,
    without which a peak is a trough: the interval means little where it is not near 1.
    """
    rows = []
    for questions, group in games.groupby("questions", observed=True):
        known = group.dropna(subset=["branches", "score"])
        counts = {"n_games": len(known), "n_papers": known["paper"].nunique(), "n_models": known["model"].nunique()}
        left_out = len(group) - len(known)
        rows.append({"questions": questions, **_curve(known, seed), **counts, "left_out": left_out})
    found = pd.DataFrame(rows, columns=CURVE)
    return found.assign(method=f"{METHOD}; {PEAK}", family=FAMILY, seed=seed)


def _curve(games: pd.DataFrame, seed: int) -> dict[str, object]:
    """The numbers of one curve. B is centred at its mean first: squares of raw counts would spoil the bootstrap."""
    breadth = games["branches"].to_numpy(dtype=np.float64)
    middle = float(breadth.mean()) if len(breadth) else 0.0
    data = centred(games, np.column_stack([breadth - middle, (breadth - middle) ** 2]))
    if not data.enough:
        return {"shape": "not estimable"}
    low, high = float(breadth.min()), float(breadth.max())
    slopes = [[1.0, 2 * (at - middle)] for at in (0.0, low, high)]  # that at 0 is b1
    tested = data.test(np.array([*slopes, [0.0, 1.0]]))
    if np.isnan(tested[:, 0]).any():
        return {"shape": "not estimable"}
    (b1, rise, fall, b2), errors, ts, p = tested.T
    freedom = len(np.unique(data.paper)) - 1
    p_low, p_high = float(student.sf(ts[1], freedom)), float(student.cdf(ts[2], freedom))
    boot_low, boot_high, humped = peak_interval(data, middle, seed)
    return {
        "b1": b1,
        "b1_se": errors[0],
        "b2": b2,
        "b2_se": errors[3],
        "b2_p": p[3],
        "peak": -b1 / (2 * b2) if b2 else float("nan"),
        "boot_low": boot_low,
        "boot_high": boot_high,
        "humped": humped,
        "lowest": low,
        "highest": high,
        "slope_low": rise,
        "slope_low_p": p_low,
        "slope_high": fall,
        "slope_high_p": p_high,
        "shape": "inverted U" if b2 < 0 and max(p_low, p_high) < ALPHA else "no inverted U",
    }


def drawn_coefficients(data: Centred, seed: int) -> Values:
    """The two coefficients in each of 10,000 draws of papers; NaN in draws where they are not told apart.

    A paper that is drawn twice counts twice. Centring within papers does not hang on the draw, so each draw is a
    weighted sum of the papers' own cross products, and a system of a few equations.
    """
    whole = np.hstack([data.x, data.models])
    papers, k = int(data.paper.max()) + 1, whole.shape[1]
    squares, products = np.zeros((papers, k, k)), np.zeros((papers, k))
    np.add.at(squares, data.paper, whole[:, :, None] * whole[:, None, :])
    np.add.at(products, data.paper, whole * data.y[:, None])
    weights = draws(papers, seed)
    a = (weights @ squares.reshape(papers, k * k)).reshape(-1, k, k)
    b = weights @ products
    # A model that no drawn paper has leaves a row of zeros: the pseudo-inverse passes over it.
    out = a[:, :2, 2:] @ np.linalg.pinv(a[:, 2:, 2:], hermitian=True)
    left = a[:, :2, :2] - out @ a[:, 2:, :2]
    right = b[:, :2] - (out @ b[:, 2:, None])[:, :, 0]
    size = a[:, 0, 0] * a[:, 1, 1]
    told = np.linalg.det(left) > 1e-9 * size
    found = np.full((len(weights), 2), np.nan)
    found[told] = np.linalg.solve(left[told], right[told][:, :, None])[:, :, 0]
    return found


def peak_interval(data: Centred, middle: float, seed: int) -> tuple[float, float, float]:
    """95% percentile interval of the peak over draws of papers, and the share of draws in which it is one (b2 < 0)."""
    drawn = drawn_coefficients(data, seed)
    drawn = drawn[np.isfinite(drawn).all(axis=1) & (drawn[:, 1] != 0)]
    if not len(drawn):
        return float("nan"), float("nan"), float("nan")
    peaks = middle - drawn[:, 0] / (2 * drawn[:, 1])
    low, high = np.percentile(peaks, [50 * (1 - LEVEL), 50 * (1 + LEVEL)])
    return float(low), float(high), float((drawn[:, 1] < 0).mean())


def breadth_groups(games: pd.DataFrame) -> pd.DataFrame:
    """Effect of each B on the score by T: groups 1, .., 17, 18+, free of models' and papers' effects.

    Effects are centred: their mean over games is zero. low, high: 95% by Student's t, errors clustered by paper. NULL
    where models and papers tell a group not apart, or there are too few papers.
    """
    parts = []
    for questions, group in games.groupby("questions", observed=True):
        known = group.dropna(subset=["branches", "score"])
        known = known.loc[known["branches"] > 0].assign(level=known["branches"].clip(upper=WIDE).astype("int64"))
        if len(known):
            parts.append(_groups(known).assign(questions=questions))
    found = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=EFFECTS)
    return found.assign(method=f"{METHOD}; mean effect over games is zero", family=FAMILY)[EFFECTS]


def _groups(games: pd.DataFrame) -> pd.DataFrame:
    """Groups, effects and counts of one length of game."""
    member = pd.get_dummies(games["level"], dtype=float)
    counted = games.groupby("level").agg(n_games=("game", "size"), n_papers=("paper", "nunique")).reset_index()
    names = [f"{WIDE}+" if level == WIDE else str(level) for level in counted["level"]]
    table = counted.assign(group=names, effect=np.nan, low=np.nan, high=np.nan)
    data = centred(games, member.to_numpy(dtype=np.float64)[:, 1:])
    if not data.enough:
        return table
    wanted = np.eye(len(names))[:, 1:] - member.mean().to_numpy(dtype=np.float64)[1:]
    effect, error = data.test(wanted)[:, :2].T
    reach = student.ppf((1 + LEVEL) / 2, len(np.unique(data.paper)) - 1) * error
    return table.assign(effect=effect, low=effect - reach, high=effect + reach)


def rank_of(columns: Values) -> int:
    """The rank of some columns; 0 where there are none."""
    return int(np.linalg.matrix_rank(columns)) if columns.size else 0
