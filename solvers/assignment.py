"""What a branch is given to do, and why; and the arithmetic of the budget that says how often it may measure."""

from enum import StrEnum

from actors.errors import BadInput
from actors.row import Row
from solvers.idea import Idea

AT_ONCE = 5  # branches of one iteration at most, beyond what `branches` asks for


class Action(StrEnum):
    """What a choice is for."""

    EXPLORE = "explore"
    EXPLOIT = "exploit"


class Assignment(Row):
    """One branch's work: an idea, or an instruction where a policy has none.

    branch: from 1, over the whole search. parents: branches whose code it begins with, the first, or reads; none is the
    baseline. operator: what the policy calls this kind of work. cluster .. deviation: how it was chosen; None where the
    policy does not say. rank, of: the idea's among the unevaluated ideas of its cluster.
    """

    branch: int
    iteration: int
    operator: str
    idea: Idea | None
    instruction: str = ""
    parents: tuple[int, ...] = ()
    cluster: int | None = None
    cluster_action: Action | None = None
    idea_action_asked: Action | None = None
    idea_action_done: Action | None = None
    rank: int | None = None
    of: int | None = None
    deviation: str | None = None
    rationale: str = ""
    fallback: bool = False


class Shares(Row):
    """The budget of a search (AIM, section on the budget): N executions over branches x iterations branches.

    executions: N. branches: at once in the first iteration. total: B_tot. each: N_branch = floor(N / B_tot). left_over:
    executions that the floor leaves to nobody.
    """

    executions: int
    branches: int
    iterations: int

    @property
    def total(self) -> int:
        """B_tot."""
        return self.branches * self.iterations

    @property
    def each(self) -> int:
        """N_branch."""
        return self.executions // self.total

    @property
    def left_over(self) -> int:
        """What the floor leaves."""
        return self.executions - self.each * self.total

    @property
    def most(self) -> int:
        """Branches of one iteration at most."""
        return max(AT_ONCE, self.branches)


def shares(executions: int, branches: int, iterations: int) -> Shares:
    """The shares; BadInput where a branch could not measure once."""
    found = Shares(executions=executions, branches=branches, iterations=iterations)
    if found.each < 1:
        raise BadInput(
            f"budget.executions={executions}: fewer than branches={branches} x iterations={iterations}, so a branch "
            "could not measure once; raise it, or plan fewer branches"
        )
    return found
