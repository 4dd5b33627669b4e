"""Random dispatch: AIM's pool and its growth, and a uniform choice in place of clusters, ranks and actions.

What it scores below AIM is what the choice is worth.
"""

import random
from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from actors.row import Row
from solvers.assignment import Assignment
from solvers.attempt import Attempt
from solvers.operators.operator import Consult
from solvers.policies.idea_pool import assigned, grow, replenish
from solvers.state import State


class RandomDispatchSettings(Row):
    """ideas: asked of the ideator for the first pool, and again where every idea was tried.

    expand: whether the pool grows from what branches found; the lessons are for that alone.
    """

    name: Literal["random_dispatch"] = "random_dispatch"
    ideas: Annotated[int, Field(ge=1, le=100)] = 10
    expand: bool = True


class RandomDispatch:
    """The policy. Each iteration has as many branches as the first, where the pool has ideas for them."""

    def __init__(self, settings: RandomDispatchSettings, consult: Consult) -> None:
        self.settings = settings
        self._consult = consult

    async def plan(self, state: State) -> list[Assignment]:
        """Ideas that no branch has worked on, each as likely as any other, none twice."""
        await replenish(self._consult, state, self.settings.ideas)
        untried = state.untried()
        branches = min(state.shares.branches, state.branches_left, len(untried))
        chosen = random.Random(f"{state.seed}/{state.iteration}").sample(untried, branches)
        return assigned(state, chosen, "dispatch")

    async def learn(self, state: State, attempts: Sequence[Attempt]) -> None:
        """Lessons, then the pool's growth, as in AIM but without clusters."""
        if self.settings.expand:
            await grow(self._consult, state, attempts, [])
