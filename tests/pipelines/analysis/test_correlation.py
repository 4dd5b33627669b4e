"""r(score_k, score_T) by hand, and its bootstrap over papers against one that draws rows."""

import math

import numpy as np
import pandas as pd
import pytest

from pipelines.analysis.correlation import SUMS, early_and_late, over_papers, paper_sums


def games(pairs: list[tuple[str, float | None, float | None]]) -> pd.DataFrame:
    """Games of ten questions with a score at 0 and at 10."""
    rows = [
        {
            "game": f"g{place}",
            "paper": paper,
            "model": "m",
            "condition": "none",
            "questions": 10,
            "t": t,
            "score": score,
        }
        for place, (paper, *scores) in enumerate(pairs)
        for t, score in zip((0, 10), scores, strict=True)
    ]
    return pd.DataFrame(rows).astype({"score": "float64"})


def test_r_by_hand() -> None:
    found = early_and_late(games([("p1", 1, 2), ("p2", 2, 4), ("p3", 3, 5), ("p4", 4, 9), ("p5", 9, None)]), 0)
    assert found["t"].tolist() == [0]
    assert found["r"].iloc[0] == pytest.approx(11 / math.sqrt(5 * 26))
    assert (found["n_games"].iloc[0], found["n_papers"].iloc[0]) == (4, 4)


@pytest.mark.parametrize("pairs", [[("p1", 1, 2), ("p2", 2, 4)], [("p1", 3, 2), ("p2", 3, 4), ("p3", 3, 5)]])
def test_no_r_below_three_games_or_without_variation(pairs: list[tuple[str, float | None, float | None]]) -> None:
    assert early_and_late(games(pairs), 0)["r"].isna().all()


def test_interval_is_that_of_drawing_papers_with_all_their_games() -> None:
    rng = np.random.default_rng(1)
    early = rng.normal(size=12)
    group = pd.DataFrame({"paper": np.repeat([*"abcd"], 3), "score": early, "final": early + rng.normal(size=12)})
    counts = np.random.default_rng(9).multinomial(4, np.full(4, 0.25), size=10_000)
    values = group[["score", "final"]].to_numpy()
    naive = [np.corrcoef(np.repeat(values, np.repeat(count, 3), axis=0).T)[0, 1] for count in counts]
    sums = paper_sums(group, [])[list(SUMS)].to_numpy()
    assert over_papers(sums, 9) == pytest.approx(np.percentile(naive, [2.5, 97.5]))
