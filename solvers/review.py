"""What the audit makes of a branch: discarded, relabelled, or as it was (AIM, auditor).

Where audits are only recorded, as in AIM's ablation without an auditor, it is as it was whatever they found.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from solvers.attempt import Attempt, Audit, Flag
from solvers.branches.order import Worked
from solvers.idea import Idea
from solvers.operators.audit import Auditing, audit, noted, rewritten, settled
from solvers.operators.evidence import gathered
from solvers.operators.operator import Consult
from solvers.state import Brief, State
from solvers.tasks.task import Task
from solvers.workspace.solution import Solution

UNNUMBERED = ""
"""The id of a rewritten idea until all branches of its iteration have ended: ids go in order of branch."""


@dataclass(frozen=True)
class Reviewed:
    """A branch, its audits, and the idea that its code is, where that is another one.

    enforced: whether anything comes of the audits.
    """

    worked: Worked
    before: Audit | None = None
    relabel: Idea | None = None
    after: Audit | None = None
    enforced: bool = True

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
            attempt = settled(attempt, self.before, relabel) if self.enforced else noted(attempt, self.before)
        if self.after is not None and relabel is not None:
            state.add("audits", self.after.model_copy(update={"idea_id": relabel.id}))
            attempt = settled(attempt, self.after, relabel)
        state.add("attempts", attempt)
        for row in self.worked.executions:
            state.add("executions", row)
        return attempt


class Review:
    """Audits the branches of one search. start: the code that a search of this task begins with."""

    def __init__(self, task: Task, brief: Brief, start: Solution, consult: Consult, auditing: Auditing) -> None:
        self._task, self._brief, self._start, self._consult = task, brief, start, consult
        self._enforced = auditing is Auditing.ENFORCE

    async def of(
        self, worked: Worked, idea: Idea | None, solutions: Mapping[str, Solution], choices: Mapping[str, str]
    ) -> Reviewed:
        """A branch audited, and, if that counts, audited again where its idea was rewritten to what its code is."""
        attempt = worked.attempt
        last = next((row.solution for row in reversed(worked.executions) if row.solution is not None), None)
        own = attempt.solution or last or ""
        code, choice = solutions.get(own), choices.get(own, "")
        parent = solutions.get(attempt.parent_solution or "")
        parent = None if parent is None or parent.hash == self._start.hash else parent
        evidence = await asyncio.to_thread(
            gathered, self._task, attempt, code, self._start, parent, worked.executions, choice
        )
        part = f"b{attempt.branch:02d}.audit"
        before = await audit(self._consult, self._brief, attempt, idea, evidence, "before", part)
        if not self._enforced or idea is None or set(before.flags) != {Flag.IDEA_MISMATCH}:
            return Reviewed(worked, before, enforced=self._enforced)
        relabel = rewritten(idea, before, UNNUMBERED, attempt.iteration, evidence.techniques)
        after = await audit(self._consult, self._brief, attempt, relabel, evidence, "after", f"{part}.after")
        return Reviewed(worked, before, relabel, after)
