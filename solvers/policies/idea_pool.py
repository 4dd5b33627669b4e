"""What the policies that live on a pool of ideas share: filling it, growing it, and giving its ideas to branches."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from solvers.assignment import Assignment
from solvers.attempt import Attempt
from solvers.idea import Cluster, Idea
from solvers.operators.distill import distill
from solvers.operators.expand import expand_all
from solvers.operators.ideate import ideate
from solvers.operators.operator import Consult
from solvers.state import State


async def fresh(consult: Consult, state: State, count: int, blind: bool = False) -> list[Idea]:
    """``count`` ideas at most that no branch has worked on: those that wait in the pool, then new ones.

    blind: the ideator sees which ideas there are, and nothing of what came of them. Its copy of the state shares the
    pool.
    """
    missing = count - len(state.untried())
    if missing > 0:
        await propose(consult, replace(state, attempts=[], lessons=[]) if blind else state, missing)
    return state.untried()[:count]


async def replenish(consult: Consult, state: State, count: int) -> None:
    """Ask the ideator for ``count`` ideas at the beginning, and again where the pool has none for the branches left."""
    if state.branches_left and (not state.done or not state.untried()):
        await propose(consult, state, count)


async def propose(consult: Consult, state: State, count: int) -> None:
    """Put ``count`` ideas of the ideator into the pool, or fewer; once before an iteration at most."""
    ideas = await ideate(consult, state, count, f"{state.iteration if state.done else 0:02d}.ideate")
    state.welcome(idea.model_copy(update={"iteration": state.iteration - 1}) for idea in ideas)


async def grow(consult: Consult, state: State, attempts: Sequence[Attempt], clusters: list[Cluster]) -> None:
    """Distill what an iteration found, then expand the pool from it; both leave discarded attempts out.

    Where no branch is left to try an idea, the pool stays as it is.
    """
    await distill(consult, state, attempts, evidence=state.evidence)
    if state.branches_left:
        state.welcome(await expand_all(consult, state, attempts, clusters, state.evidence))


def assigned(
    state: State, ideas: Iterable[Idea], operator: str, instruction: str = "", after: int = 0
) -> list[Assignment]:
    """A branch for each idea, which begins with its parents' code. after: how many the iteration already has."""
    return [
        Assignment(
            branch=branch,
            iteration=state.iteration,
            operator=operator,
            idea=idea,
            instruction=instruction,
            parents=state.parents_of(idea),
        )
        for branch, idea in enumerate(ideas, sum(state.done) + after + 1)
    ]
