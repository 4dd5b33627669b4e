"""AIM: a pool of ideas, clustered, ranked and dispatched each iteration, and grown from what its branches found.

Source: arXiv 2609.38445, its method; each of its parts can be switched off, as in its ablations.
"""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from actors.row import Row
from solvers.assignment import Assignment
from solvers.attempt import Attempt
from solvers.idea import Cluster, Rank
from solvers.operators.allocate import allocate
from solvers.operators.dispatch import dispatch
from solvers.operators.estimate import estimate
from solvers.operators.operator import Consult
from solvers.operators.organize import one_cluster, organize
from solvers.policies.idea_pool import grow, replenish
from solvers.state import State

Count = Annotated[int, Field(ge=1, le=100)]


class AimSettings(Row):
    """What of AIM is done; the defaults are the whole method.

    ideas: asked of the ideator for the first pool, and again where every idea was tried. organize: False has the pool
    as one cluster. estimate: False gives neither clusters nor ideas a rank. lessons: whether the ranking of clusters
    sees them. actions: False picks from the ranked map, without exploring or exploiting. plan: False does as many
    branches in each iteration as in the first.
    """

    name: Literal["aim"] = "aim"
    ideas: Count = 10
    organize: bool = True
    estimate: bool = True
    lessons: bool = True
    actions: bool = True
    plan: bool = True


class Aim:
    """The policy. It keeps the last clusters, which the next ones begin with."""

    def __init__(self, settings: AimSettings, consult: Consult) -> None:
        self.settings = settings
        self._consult = consult
        self._clusters: list[Cluster] = []

    async def plan(self, state: State) -> list[Assignment]:
        """Organize, estimate, dispatch. What a small pool leaves over goes back to the planner."""
        await replenish(self._consult, state, self.settings.ideas)
        if not state.branches_left or not state.untried():
            return []
        branches = await self._branches(state)
        if self.settings.organize:
            self._clusters = await organize(self._consult, state, self._clusters)
        else:
            self._clusters = one_cluster(state)
        ranks: list[Rank] = []
        if self.settings.estimate:
            ranks = await estimate(self._consult, state, self._clusters, self.settings.lessons)
        first = state.iteration == 1
        return await dispatch(self._consult, state, self._clusters, ranks, branches, first, self.settings.actions)

    async def _branches(self, state: State) -> int:
        """How many branches the next iteration has, if the pool holds as many ideas. The first is pinned."""
        if self.settings.plan or not state.done:
            return (await allocate(self._consult, state))[len(state.done)]
        return min(state.shares.branches, state.branches_left)

    async def learn(self, state: State, attempts: Sequence[Attempt]) -> None:
        """Lessons first, since the expansion of the pool sees them; both are of what the audit let stand."""
        await grow(self._consult, state, attempts, self._clusters)
