"""The budget's arithmetic, with the paper's numbers."""

import pytest

from actors.errors import BadInput
from solvers.assignment import shares


@pytest.mark.parametrize(
    ("executions", "branches", "iterations", "each", "left_over"),
    [(300, 5, 5, 12, 0), (60, 5, 4, 3, 0), (60, 5, 3, 4, 0), (60, 3, 3, 6, 6), (60, 8, 3, 2, 12), (25, 5, 5, 1, 0)],
)
def test_each_branch_gets_the_floor_and_the_rest_is_told(
    executions: int, branches: int, iterations: int, each: int, left_over: int
) -> None:
    found = shares(executions, branches, iterations)
    assert (found.each, found.left_over) == (each, left_over)
    assert found.each * found.total + found.left_over == executions


def test_fewer_executions_than_branches_are_refused() -> None:
    with pytest.raises(BadInput, match=r"budget.executions=14: fewer than branches=5 x iterations=3"):
        shares(14, 5, 3)
