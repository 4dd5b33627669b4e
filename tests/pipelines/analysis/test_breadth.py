"""Breadth and the final score: coefficients, clustered errors and the bootstrap against what is computed apart."""

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from scipy.stats import t as student

from pipelines.analysis.breadth import (
    breadth_curve,
    breadth_games,
    breadth_groups,
    centred,
    drawn_coefficients,
    peak_interval,
)
from pipelines.analysis.correlation import draws

Values = NDArray[np.float64]


def games(papers: int = 30, models: int = 4, noise: float = 0.6, b1: float = 0.5, b2: float = -0.03) -> pd.DataFrame:
    """Games whose score is 4 + b1 B + b2 B^2, effects of paper and model that go with B, noise; one in nine lost."""
    drawn = np.random.default_rng(11)
    model, paper = np.tile(np.arange(models), papers), np.repeat(np.arange(papers), models)
    breadth = 1 + drawn.poisson(4 + model + paper % 3)
    shared = drawn.normal(0, noise, papers)[paper]
    score = 4 + b1 * breadth + b2 * breadth**2 + 0.5 * model + 0.3 * (paper % 3) + shared
    frame = pd.DataFrame({"branches": breadth, "score": score + drawn.normal(0, noise, len(model))})
    names = {"paper": [f"p{i}" for i in paper], "model": [f"m{i}" for i in model], "questions": 100}
    frame = frame.assign(game=[f"g{i}" for i in range(len(frame))], **names)
    return frame.loc[frame.index % 9 != 4].reset_index(drop=True)


def dummies(frame: pd.DataFrame, x: Values) -> Values:
    """``x`` with a column for each paper, and for each model but one."""
    parts = [pd.get_dummies(frame[name], drop_first=name == "model", dtype=float) for name in ("model", "paper")]
    return np.hstack([x, *(part.to_numpy() for part in parts)])


def sandwich(design: Values, y: Values, paper: Values, counted: int) -> tuple[Values, Values]:
    """Coefficients and their covariance, clustered by paper; the small-sample factor has k = counted."""
    bread = np.linalg.inv(design.T @ design)
    beta = bread @ design.T @ y
    error = y - design @ beta
    meat = np.zeros_like(bread)
    for one in np.unique(paper):
        score = design[paper == one].T @ error[paper == one]
        meat += np.outer(score, score)
    groups, n = len(np.unique(paper)), len(y)
    return beta, bread @ meat @ bread * groups / (groups - 1) * (n - 1) / (n - counted)


def test_coefficients_and_errors_are_those_of_a_dummy_for_each_paper() -> None:
    frame = games()
    breadth = frame["branches"].to_numpy(dtype=np.float64)
    design = dummies(frame, np.column_stack([breadth, breadth**2]))
    beta, covariance = sandwich(design, frame["score"].to_numpy(), frame["paper"].to_numpy(), counted=2 + 3)
    found = breadth_curve(frame, 0).iloc[0]
    errors = np.sqrt(np.diag(covariance))
    assert found[["b1", "b2"]].tolist() == pytest.approx(beta[:2])
    assert found[["b1_se", "b2_se"]].tolist() == pytest.approx(errors[:2])
    assert found["b2_p"] == pytest.approx(2 * student.sf(abs(beta[1] / errors[1]), 29))
    assert found["peak"] == pytest.approx(-beta[0] / (2 * beta[1]))
    ends = [breadth.min(), breadth.max()]
    for name, sign, end in zip(("slope_low", "slope_high"), (1, -1), ends, strict=True):
        wanted = np.array([1, 2 * end])
        slope, error = wanted @ beta[:2], np.sqrt(wanted @ covariance[:2, :2] @ wanted)
        assert (found[name], found[f"{name}_p"]) == pytest.approx((slope, student.sf(sign * slope / error, 29)))


def test_without_noise_the_curve_is_the_one_that_was_put_in() -> None:
    found = breadth_curve(games(noise=0.0), 0).iloc[0]
    assert found[["b1", "b2", "peak"]].tolist() == pytest.approx([0.5, -0.03, 25 / 3])
    assert found[["boot_low", "boot_high"]].tolist() == pytest.approx([25 / 3, 25 / 3])
    assert (found["shape"], found["humped"]) == ("inverted U", 1.0)
    assert found[["n_games", "n_papers", "n_models", "left_out"]].tolist() == [107, 30, 4, 0]


@pytest.mark.parametrize(("b1", "b2"), [(0.5, 0.03), (1.0, -0.005), (-0.5, -0.005), (0.0, 0.0)])
def test_no_inverted_u_without_a_rise_and_a_fall(b1: float, b2: float) -> None:
    assert breadth_curve(games(noise=0.3, b1=b1, b2=b2), 0)["shape"].tolist() == ["no inverted U"]


def test_a_draw_of_papers_is_the_regression_on_those_papers() -> None:
    frame = games(papers=12)
    breadth = frame["branches"].to_numpy(dtype=np.float64)
    data = centred(frame, np.column_stack([breadth, breadth**2]))
    drawn = drawn_coefficients(data, 5)
    names = frame["paper"].drop_duplicates().to_list()
    for place in (0, 1, 9_999):
        times = draws(12, 5)[place].astype(int)
        parts = [
            frame.loc[frame["paper"] == name].assign(paper=f"{name}/{copy}")
            for name, count in zip(names, times, strict=True)
            for copy in range(count)
        ]
        again = pd.concat(parts)
        b = again["branches"].to_numpy(dtype=np.float64)
        beta = np.linalg.lstsq(dummies(again, np.column_stack([b, b**2])), again["score"].to_numpy(), rcond=None)[0]
        assert drawn[place] == pytest.approx(beta[:2], rel=1e-6)
    peaks = -drawn[:, 0] / (2 * drawn[:, 1])
    assert peak_interval(data, 0.0, 5) == pytest.approx((*np.percentile(peaks, [2.5, 97.5]), (drawn[:, 1] < 0).mean()))


def test_a_model_that_no_drawn_paper_has_is_passed_over() -> None:
    frame = games(papers=12)
    rare = frame.loc[~((frame["model"] == "m3") & (frame["paper"] != "p0"))]
    breadth = rare["branches"].to_numpy(dtype=np.float64)
    drawn = drawn_coefficients(centred(rare, np.column_stack([breadth, breadth**2])), 0)
    assert (draws(12, 0)[:, 0] == 0).any()
    assert np.isfinite(drawn).mean() > 0.99


def test_effects_of_groups_are_centred_and_those_of_dummies() -> None:
    frame = games(papers=60)
    wide = frame.assign(branches=frame["branches"] * 2)
    found = breadth_groups(wide).set_index("group")
    level = wide["branches"].clip(upper=18)
    member = pd.get_dummies(level, dtype=float)
    beta, covariance = sandwich(
        dummies(wide, member.to_numpy()[:, 1:]),
        wide["score"].to_numpy(),
        wide["paper"].to_numpy(),
        counted=member.shape[1] - 1 + 3,
    )
    k = member.shape[1] - 1
    wanted = np.eye(k + 1)[:, 1:] - member.mean().to_numpy()[1:]
    assert found["effect"].tolist() == pytest.approx(list(wanted @ beta[:k]))
    reach = student.ppf(0.975, 59) * np.sqrt(np.diag(wanted @ covariance[:k, :k] @ wanted.T))
    assert (found["high"] - found["effect"]).tolist() == pytest.approx(list(reach))
    assert found.index[-1] == "18+"
    assert found["n_games"].to_dict() == {f"{x}+" if x == 18 else str(x): n for x, n in level.value_counts().items()}
    assert (found["effect"] * found["n_games"]).sum() == pytest.approx(0)


def test_a_group_that_a_paper_alone_tells_apart_has_no_effect() -> None:
    frame = games(papers=30)
    alone = pd.DataFrame(
        {"branches": [17], "score": [9.0], "game": "x", "paper": "p99", "model": "m0", "questions": 100}
    )
    found = breadth_groups(pd.concat([frame, alone], ignore_index=True)).set_index("group")
    assert np.isnan(found.loc["17", "effect"])
    assert found.loc["17", "n_games"] == 1


def test_too_few_games_are_not_estimated() -> None:
    frame = games(papers=2)
    found = breadth_curve(frame, 0).iloc[0]
    assert (found["shape"], found["n_papers"]) == ("not estimable", 2)
    assert np.isnan(found["peak"])
    assert breadth_groups(frame)["effect"].isna().all()


def test_breadth_that_hangs_on_paper_alone_is_not_estimated() -> None:
    frame = games()
    fixed = frame.assign(branches=frame["paper"].str[1:].astype(int) + 1)
    assert breadth_curve(fixed, 0)["shape"].tolist() == ["not estimable"]
    assert breadth_groups(fixed)["effect"].isna().all()


def test_models_that_papers_tell_apart_are_no_trouble() -> None:
    frame = games().assign(model="m0")
    nested = frame.assign(model="m" + frame["paper"].str[-1])
    columns = ["b1", "b1_se", "b2", "b2_se", "peak"]
    alone, beside = (breadth_curve(part, 0)[columns].iloc[0].tolist() for part in (frame, nested))
    assert beside == pytest.approx(alone)


def test_games_without_a_score_or_a_tree_are_left_out_and_counted() -> None:
    frame = games()
    trees = frame[["game", "paper", "model", "questions", "branches"]].astype({"branches": "float64"})
    trees.loc[0, "branches"] = np.nan
    scores = frame[["game", "score"]].assign(t=100, questions=100).iloc[:-1]
    joined = breadth_games(trees, pd.concat([scores, scores.assign(t=90, score=0.0)]))
    assert joined["score"].isna().sum() == 1
    found = breadth_curve(joined, 0).iloc[0]
    assert (found["n_games"], found["left_out"]) == (105, 2)


def test_no_games_give_empty_tables_with_the_same_columns() -> None:
    frame = games()
    for table in (lambda rows: breadth_curve(rows, 0), breadth_groups):
        assert list(table(frame.iloc[:0])) == list(table(frame))
        assert len(table(frame.iloc[:0])) == 0
