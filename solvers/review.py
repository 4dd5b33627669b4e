"""What the audit makes of a branch: discarded, relabelled, or as it was (AIM, auditor)."""

from dataclasses import dataclass

from solvers.attempt import DISCARDING, Attempt, Audit
from solvers.branches.order import Worked
from solvers.idea import Idea
from solvers.operators.audit import settled
from solvers.operators.operator import Consult
from solvers.policies.policy import Brief, State
from solvers.tasks.task import Task
from solvers.workspace.solution import Solution


@dataclass(frozen=True)
class Reviewed:
    """A branch, its audits, and the idea that its code is, where that is another one."""

    worked: Worked
    before: Audit | None = None
    relabel: Idea | None = None
    after: Audit | None = None

    @property
    def attempt(self) -> Attempt:
        """As the branch left it."""
        return self.worked.attempt

    def settle(self, state: State) -> Attempt:
        """Put the audits into force, and into the tables: in order of branch, so that replays give the same ids."""
        attempt, relabel = self.attempt, self.relabel
        if relabel is not None:
            relabel = relabel.model_copy(update={"id": state.next_id()})
            state.welcome([relabel])
        if self.before is not None:
            state.add("audits", self.before)
            attempt = settled(attempt, self.before, relabel)
        if self.after is not None and relabel is not None:
            state.add("audits", self.after.model_copy(update={"idea_id": relabel.id}))
            if DISCARDING & set(self.after.flags):
                attempt = settled(attempt, self.after, relabel)
        state.add("attempts", attempt)
        for row in self.worked.executions:
            state.add("executions", row)
        return attempt


class Review:
    """Audits the branches of one search."""

    def __init__(self, task: Task, brief: Brief, start: Solution, consult: Consult) -> None:
        self._task, self._brief, self._start, self._consult = task, brief, start, consult
