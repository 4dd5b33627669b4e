"""The idea search: plan, branches, audit, learn, under a fixed budget (AIM, arXiv 2609.38445; design, section 2).

A search is played again from its journal: every reply, every measurement and every reading of its clock is there
before it is used, and what it does hangs on nothing else. So one that was killed goes on at the execution where it
stopped.
"""

import time
from collections.abc import Mapping, Sequence

from actors.errors import OUTAGES, ErrorKind, UnitFault
from actors.recorded import Fact, Recorded
from actors.replay import Tape
from actors.row import Row
from solvers.assignment import Assignment, Shares
from solvers.attempt import Attempt
from solvers.branches.crew import Crew
from solvers.branches.facts import CLOCK
from solvers.branches.hints import hint_of
from solvers.branches.order import Kept, Order, Worked
from solvers.operators.audit import AuditingSaid
from solvers.operators.operator import Consult
from solvers.policies.choice import PolicySettings
from solvers.policies.open import open_policy
from solvers.review import Review, Reviewed
from solvers.state import Brief, State
from solvers.together import together
from solvers.verification import search_result, verified
from solvers.workspace.solution import Solution


class SearchPlan(Row):
    """All that a search needs to know beside its task. clock, branch_seconds: wall-clock of the search, of a branch.

    seed: of all its draws. Searches with one seed are paired: where they ask alike they draw alike, whatever their
    settings are.
    """

    unit: str
    policy: PolicySettings
    brief: Brief
    shares: Shares
    clock: float
    branch_seconds: float
    audit: AuditingSaid
    seed: int

    @property
    def draws(self) -> str:
        """What its sampling seeds hang on, in place of its unit, which every setting changes."""
        return f"seed {self.seed}"


class Search:
    """One search. review: who audits; None where nobody does. start: what branches without a parent begin with."""

    def __init__(
        self,
        plan: SearchPlan,
        tape: Tape,
        consult: Consult,
        crew: Crew,
        review: Review | None,
        start: Solution,
        life: int,
    ) -> None:
        self._plan, self._tape, self._crew, self._review = plan, tape, crew, review
        self._policy = open_policy(plan.policy, consult)
        self._start, self._life = start, life
        self._solutions = {start.hash: start}
        self._choices: dict[str, str] = {}
        self._kept: set[str] = set()
        self._began, self._before = time.monotonic(), 0.0
        self._reached = 0  # the iteration that earlier lives came to
        self.state = State(task=plan.brief, shares=plan.shares, seed=plan.seed)
        self.worked: list[Worked] = []
        self.checks: list[Fact] = []

    async def run(self, recorded: Recorded) -> None:
        """Search until branches or clock are spent, or the policy is done; then verify the best."""
        state = self.state
        self._before = max((fact.value.get(CLOCK, 0.0) for fact in recorded.facts if fact.value), default=0.0)
        self._reached = max((fact.index for fact in recorded.of("").facts if fact.kind == CLOCK), default=0)
        self._keep(self._solutions)
        ended_by = "branches"
        while state.branches_left:
            if await self._elapsed(state.iteration + 1) >= self._plan.clock:
                ended_by = "clock"
                break
            state.iteration += 1
            assignments = await self._policy.plan(state)
            if not assignments:
                ended_by = "policy"
                break
            self._check(assignments)
            attempts = await self._attempts(assignments)
            state.attempts += attempts
            state.done.append(len(assignments))
            await self._policy.learn(state, attempts)
        held_out = await verified(self._plan.unit, self._life, state, self._solutions, self._crew, self.checks)
        state.add("searches", search_result(state, held_out, ended_by, self._clock()))

    def _check(self, assignments: Sequence[Assignment]) -> None:
        """That a policy keeps to the budget: one that does not is a bug."""
        first = sum(self.state.done) + 1
        assert [one.branch for one in assignments] == list(range(first, first + len(assignments)))
        assert len(assignments) <= min(self.state.shares.most, self.state.branches_left)
        for one in assignments:
            self.state.add("assignments", one)

    async def _elapsed(self, index: int) -> float:
        """Seconds of this search, as read before an iteration: a fact, so that a replay decides as it was decided."""
        fact = self._tape.recall(CLOCK, index)
        if fact is None or fact.value is None:
            fact = await self._tape.keep_fact(CLOCK, index, "", {CLOCK: self._clock()})
        assert fact.value is not None
        return float(fact.value[CLOCK])

    def _clock(self) -> float:
        return self._before + time.monotonic() - self._began

    async def _attempts(self, assignments: Sequence[Assignment]) -> list[Attempt]:
        """All branches of an iteration beside each other, each audited as it ends; in order of branch.

        Where the run stops, or a model refuses the key, what is under way comes in first.
        """
        reviewed = await together(self._branch(one, assignments) for one in assignments)
        if all(one.attempt.error_kind in OUTAGES for one in reviewed):  # of an engine, or of the coder's endpoint
            first = reviewed[0].attempt
            why = f"every branch of iteration {self.state.iteration} failed, the first one by: {first.error}"
            raise UnitFault(why, ErrorKind(first.error_kind or ErrorKind.ENGINE))
        for one in reviewed:
            self.state.evidence[one.attempt.branch] = one.worked.executions
            self._choices = one.worked.choices | self._choices
            self._keep(one.worked.solutions)
        return [one.settle(self.state) for one in reviewed]

    def _keep(self, solutions: Mapping[str, Solution]) -> None:
        """Rows of the solutions that are new."""
        for name, solution in solutions.items():
            if name not in self._kept:
                self._kept.add(name)
                row = Kept(solution=name, files=solution.files, choice=self._choices.get(name))
                self.state.add("solutions", row)

    async def _branch(self, assignment: Assignment, beside: Sequence[Assignment]) -> Reviewed:
        """One branch of an iteration and its audit."""
        worked = self._crew.known(assignment, final=assignment.iteration < self._reached)
        if worked is None:
            worked = await self._crew.solve(self._order(assignment, beside))
        self.worked.append(worked)
        self._solutions |= worked.solutions
        if self._review is None:
            return Reviewed(worked)
        if worked.attempt.error_kind in {*OUTAGES, ErrorKind.CLOCK} and not worked.executions:
            return Reviewed(worked)  # there is nothing of it to judge
        return await self._review.of(worked, assignment.idea, self._solutions, worked.choices)

    def _order(self, assignment: Assignment, beside: Sequence[Assignment]) -> Order:
        clock, begun = self._clock(), self._parent(assignment)
        parent = begun.solution if begun else None
        return Order(
            unit=self._plan.unit,
            life=self._life,
            draws=self._plan.draws,
            assignment=assignment,
            hint=hint_of(self.state, assignment, beside, begun, self._solutions, self._choices, self._start),
            start=self._solutions[parent] if parent else self._start,
            executions=self._plan.shares.each,
            seconds=self._plan.branch_seconds,
            clock=clock,
            until=self._plan.clock,
            anchors={},
        )

    def _parent(self, assignment: Assignment) -> Attempt | None:
        """The attempt whose code a branch begins with; None is the search's start."""
        own = [one for one in self.state.attempts if one.branch in assignment.parents[:1] and one.solution is not None]
        return own[0] if own else None
