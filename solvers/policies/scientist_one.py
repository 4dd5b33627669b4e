"""ScientistOne: a beam. The best ideas are kept and given new versions, the other branches draft new ideas.

A version is an idea of its own, written without a model: the kept idea again, with its best code to begin from. All
versions of an idea are one line, and a line counts by its best attempt: so the beam holds K different ideas, never K
versions of one. A line whose last versions ended without a single execution has nothing left to measure, and its place
goes to the next one. The source gives neither K nor E; the defaults leave one branch of five for a new idea.
"""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from actors.row import Row
from solvers.assignment import Assignment
from solvers.attempt import Attempt
from solvers.idea import Idea, Kind, Source
from solvers.operators.operator import Consult
from solvers.policies.idea_pool import assigned, fresh
from solvers.state import State

MARK = "refine: "
INSTRUCTION = (
    "The code that you begin with is the best that this idea has brought so far. Keep to the idea and make the code "
    "score higher: find where its time or its error is, and change that."
)


class ScientistOneSettings(Row):
    """keep: ideas in the beam, K. versions: branches that each of them gets in an iteration, E.

    Where K x E is more than the branches of an iteration, the better ideas get theirs first, and none is left for new
    ideas.
    """

    name: Literal["scientist_one"] = "scientist_one"
    keep: Annotated[int, Field(ge=1, le=100)] = 2
    versions: Annotated[int, Field(ge=1, le=100)] = 2


class ScientistOne:
    """The policy. It keeps nothing of its own: the beam follows from the state."""

    def __init__(self, settings: ScientistOneSettings, consult: Consult) -> None:
        self.settings = settings
        self._consult = consult

    async def plan(self, state: State) -> list[Assignment]:
        """Versions of the kept ideas, best first, then new ideas; done where there is neither."""
        branches = min(state.shares.branches, state.branches_left)
        kept = [best for best in beam(state, self.settings.keep) for _ in range(self.settings.versions)][:branches]
        drafts = await fresh(self._consult, state, branches - len(kept))
        versions = [self._version(state, best) for best in kept]
        return [*assigned(state, versions, "improve", INSTRUCTION), *assigned(state, drafts, "draft", after=len(kept))]

    def _version(self, state: State, best: Attempt) -> Idea:
        idea = version(state, best)
        state.welcome([idea])
        return idea

    async def learn(self, state: State, attempts: Sequence[Attempt]) -> None:
        """Nothing: whatever the beam is made from stands in the state."""


def beam(state: State, keep: int) -> list[Attempt]:
    """The best attempt of each of the ``keep`` best lines that are not spent, best first; of equals the earlier."""
    best: dict[str, Attempt] = {}
    right = [one for one in state.counted if one.score is not None and one.idea_id is not None]
    for one in sorted(right, key=lambda one: (-(one.score or 0.0), one.branch)):
        best.setdefault(line(state, str(one.idea_id)), one)
    return [one for name, one in best.items() if not spent(state, name)][:keep]


def spent(state: State, name: str) -> bool:
    """Whether all that a line's last iteration had were versions that found nothing to measure.

    One that an error ended says nothing of the line.
    """
    tried = [one for one in state.attempts if one.assigned_idea_id and line(state, one.assigned_idea_id) == name]
    newest = max((one.iteration for one in tried), default=0)
    return all(one.executions == 0 and one.status == "ok" for one in tried if one.iteration == newest) and bool(tried)


def line(state: State, name: str) -> str:
    """The idea that an idea goes back to."""
    while (parent := state.ideas[name].parent_id) in state.ideas:
        name = str(parent)
    return name


def version(state: State, best: Attempt) -> Idea:
    """The idea of an attempt once more, as a child of it."""
    idea = state.ideas[str(best.idea_id)]
    own = {
        "id": state.next_id(),
        "title": MARK + idea.title.removeprefix(MARK),
        "source": Source.REFINED,
        "kind": Kind.PUSH_SCORE,
        "iteration": state.iteration - 1,
        "parent_id": idea.id,
        "sibling_referenced": None,
        "lesson_context_idea": None,
    }
    return idea.model_copy(update=own)
