"""Which scale an attempt's score is on: this node's anchors, or the word of a task's own verifier."""

import pytest
from executions import execution_row

from solvers.attempt import execution
from solvers.branches.result import basis
from solvers.measuring.score import End, Score, scaled
from solvers.tasks.task import Trust

MEASURED = scaled(execution_row(End.RIGHT, 0.4), local=(1.6, 0.4), declared=(3.2, 0.4))
REWARDED = execution_row(End.RIGHT, 0.7, trust=Trust.FOREIGN, score=0.7, score_basis="reward", reward=0.7)


@pytest.mark.parametrize(("score", "on", "value"), [(MEASURED, "local", 0.5), (REWARDED, "reward", 0.7)])
def test_an_attempt_is_on_the_scale_that_its_execution_is_on(score: Score, on: str, value: float) -> None:
    row = execution(score, branch=1, index=1, about="")
    assert (basis(row), row.score) == (on, value)
    assert basis(row) == score.score_basis


def test_declared_anchors_never_drive() -> None:
    """What a task declares is there to compare with; without anchors of this node there is no score."""
    alone = scaled(execution_row(End.RIGHT, 0.4), local=None, declared=(3.2, 0.4))
    assert alone.score_declared == 0.5
    assert (alone.score, alone.score_basis) == (None, None)
