"""The scale, and a row's way through it."""

import math

import pytest
from executions import execution_row

from actors.errors import BadInput
from solvers.measuring.score import End, on_scale, scaled


@pytest.mark.parametrize(
    ("seconds", "score"),
    [
        (1.6, 0.0),  # the baseline
        (2.0, 0.0),  # slower than it
        (0.4, 0.5),  # the reference
        (0.8, 0.25),
        (0.1, 1.0),  # (B/R)^2 times as fast as the baseline
        (0.01, 1.0),  # and faster
    ],
)
def test_the_reference_has_half_and_its_square_has_all(seconds: float, score: float) -> None:
    assert on_scale(seconds, baseline=1.6, reference=0.4) == pytest.approx(score)


def test_the_papers_anchors() -> None:
    # Flash Attention measured there: B = 1.702 s, R = .205 s; a solution of .05 s.
    assert on_scale(0.05, 1.702, 0.205) == pytest.approx(0.5 * math.log(1.702 / 0.05) / math.log(1.702 / 0.205))


@pytest.mark.parametrize(("baseline", "reference"), [(1.0, 1.0), (1.0, 2.0), (1.0, 0.0)])
def test_ends_that_are_no_scale(baseline: float, reference: float) -> None:
    with pytest.raises(BadInput, match="scale"):
        on_scale(0.5, baseline, reference)


def test_the_local_score_drives() -> None:
    score = scaled(execution_row(End.RIGHT, 0.4), local=(1.6, 0.4), declared=(3.2, 0.4))
    assert (score.score_local, score.score, score.score_basis) == (0.5, 0.5, "local")
    assert score.score_declared == 0.5
    assert (score.baseline_local, score.reference_local) == (1.6, 0.4)


def test_wrong_is_zero_and_unknown_is_not() -> None:
    wrong = scaled(execution_row(End.WRONG, None), local=(1.6, 0.4), declared=None)
    assert (wrong.score, wrong.score_declared) == (0.0, None)
    lost = scaled(execution_row(End.ENGINE, None), local=(1.6, 0.4), declared=(1.6, 0.4))
    assert (lost.score, lost.score_local, lost.score_declared, lost.score_basis) == (None, None, None, None)
    unscaled = scaled(execution_row(End.RIGHT, 0.4), local=None, declared=(1.6, 0.4))
    assert (unscaled.score, unscaled.score_declared) == (None, 0.5)
