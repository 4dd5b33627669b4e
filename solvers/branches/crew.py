"""The branches of one search, on whatever nodes there are: orders go out, and again where an actor is lost with one."""

from typing import Any

from actors.channel import Channel
from actors.desk import Desk
from actors.errors import BadInput, ErrorKind, UnitFault
from actors.found import Found
from actors.pool import Lost, Pool
from actors.recorded import Fact, Recorded
from actors.replay import Tape
from solvers.assignment import Assignment
from solvers.branches.branch import Branches
from solvers.branches.facts import CLOCK, END, HELD_OUT
from solvers.branches.order import Check, Order, Worked, digest_of, ended, part_of
from solvers.branches.result import attempt_of
from solvers.workspace.solution import Solution

LIVES = 3  # how often a branch may lose its actor before that is its result


class Crew:
    """Sends the orders of one search. recorded: what earlier lives of the search left of its branches."""

    def __init__(self, pool: Pool[Branches], channel: Channel, recorded: Recorded) -> None:
        self._pool, self._channel, self._recorded = pool, channel, recorded
        self.anchors: dict[str, tuple[float, float]] = {}
        """Baseline and reference of every node so far."""

    def known(self, assignment: Assignment, final: bool) -> Worked | None:
        """What is recorded of a branch that has ended, as `ended` says it. BadInput where it was given other work."""
        part = part_of(assignment.branch)
        own = self._recorded.of(part)
        if not ended(own.facts, self._recorded.round, final):
            return None
        worked = Worked(facts=(*own.facts, *self._recorded.of(f"{part}.node").facts), calls=own.calls)
        if worked.given != digest_of(assignment):
            raise BadInput(
                f"branch {assignment.branch} of a search was begun by another version of heuresis, which had given it "
                "other work; force=true begins that search anew"
            )
        return self._taken(worked)

    async def solve(self, order: Order) -> Worked:
        """One branch from start to end, wherever there is room; a branch whose actors keep dying is an error."""
        part = part_of(order.assignment.branch)
        recorded, why = both(self._recorded, part), ""
        for _ in range(LIVES):
            try:
                own = order.model_copy(update={"anchors": self.anchors})
                return self._taken(await self._pool.call(Branches.solve, None, own, recorded))
            except Lost as error:
                why = str(error)
                recorded = await self._recalled(order.unit, part)
        return self._taken(await self._given_up(order, recorded, f"{LIVES} actors died with this branch: {why}"))

    async def verify(self, check: Check) -> Fact:
        """A held-out verification; UnitFault where actors keep dying."""
        for index in range(LIVES):
            try:
                recorded = both(self._recorded, HELD_OUT)
                own = check.model_copy(update={"anchors": self.anchors})
                return await self._pool.call(Branches.verify, None, own, recorded)
            except Lost as error:
                if index == LIVES - 1:
                    raise UnitFault(f"{LIVES} actors died while verifying: {error}", ErrorKind.LOST) from None
        raise AssertionError("the loop returns or raises")

    def verified(self, index: int, solution: Solution) -> Fact | None:
        """A verification of this solution that is recorded."""
        facts = [one for one in self._recorded.of(HELD_OUT).facts if one.value is not None]
        return next((one for one in facts if (one.index, one.about) == (index, solution.hash)), None)

    def _taken(self, worked: Worked) -> Worked:
        for key, ends in worked.anchors.items():
            self.anchors.setdefault(key, ends)
        return worked

    async def _recalled(self, unit: str, part: str) -> Recorded:
        """What is recorded of a branch, with what came to the journal since this search began."""
        found = Found(self._recorded.round)
        found.add(both(self._recorded, part))
        for name in (part, f"{part}.node"):
            for event in await self._channel.desk.call(Desk.recall, None, unit, name):
                found.take(name, event, "the journal")
        return found.recorded()

    async def _given_up(self, order: Order, recorded: Recorded, why: str) -> Worked:
        """The branch's end, written by the search in its place; what it measured counts."""
        part = part_of(order.assignment.branch)
        tape = Tape.of(order.unit, part, recorded, self._channel, order.life)
        spent = max((fact.value.get(CLOCK, 0.0) for fact in recorded.facts if fact.value), default=order.clock)
        attempt = attempt_of(order, tape, UnitFault(why, ErrorKind.LOST), spent - order.clock)
        value: dict[str, Any] = {"attempt": attempt.model_dump(mode="json"), "title": why, CLOCK: spent}
        await tape.keep_fact(END, tape.round, digest_of(order.assignment), value)
        return Worked(facts=(*tape.facts, *recorded.of(f"{part}.node").facts), calls=recorded.calls)


def both(recorded: Recorded, part: str) -> Recorded:
    """What is recorded of a branch, and of its measuring."""
    one, other = recorded.of(part), recorded.of(f"{part}.node")
    return Recorded(
        round=recorded.round,
        calls=one.calls,
        starts=one.starts,
        facts=(*one.facts, *other.facts),
    )
