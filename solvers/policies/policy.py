"""The seam that every search policy sits on: it plans the next branches, and learns from what came of them."""

from collections.abc import Sequence
from typing import Protocol

from solvers.assignment import Assignment
from solvers.attempt import Attempt
from solvers.state import State


class Policy(Protocol):
    """One search policy."""

    async def plan(self, state: State) -> list[Assignment]:
        """The next branches, `Shares.most` and `State.branches_left` at most; none where the policy is done.

        state.iteration, from 1, is the one that is planned.
        """

    async def learn(self, state: State, attempts: Sequence[Attempt]) -> None:
        """Take in what came of them: attempts of this iteration, audited, in order of branch."""
