"""Best of N: every branch drafts an idea of its own from the baseline, and nothing is learnt from any."""

from collections.abc import Sequence
from typing import Literal

from actors.row import Row
from solvers.assignment import Assignment
from solvers.attempt import Attempt
from solvers.operators.operator import Consult
from solvers.policies.idea_pool import assigned, fresh
from solvers.state import State


class BestOfNSettings(Row):
    """Nothing to turn: N is the budget's number of branches."""

    name: Literal["best_of_n"] = "best_of_n"


class BestOfN:
    """The policy. The ideator sees which ideas there are, so that none comes twice, but not what came of them.

    Where it brings fewer ideas than asked for, the iteration has fewer branches.
    """

    def __init__(self, settings: BestOfNSettings, consult: Consult) -> None:
        self.settings = settings
        self._consult = consult

    async def plan(self, state: State) -> list[Assignment]:
        """A new idea for each branch of the first iteration's number; done where none comes."""
        branches = min(state.shares.branches, state.branches_left)
        return assigned(state, await fresh(self._consult, state, branches, blind=True), "draft")

    async def learn(self, state: State, attempts: Sequence[Attempt]) -> None:
        """Nothing."""
