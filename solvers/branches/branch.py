"""Solver branches on a node: an order in, all that came of it out. Each has a tape, containers and a user of its own.

Guarded: a branch that fails, or takes too long, is an attempt with an error, and keeps what it measured; its containers
and its user id are freed however it ends. Not guarded here: the death of this process, for which see crew.py.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from actors.channel import Channel
from actors.desk import Desk
from actors.errors import ErrorKind, UnitFault
from actors.gateway import NO_CORPUS, open_model
from actors.model import Model, Spec
from actors.pool import Pool
from actors.recorded import Fact, Recorded
from actors.replay import Tape
from solvers.agents.choice import SolverSettings
from solvers.agents.open import open_solver
from solvers.agents.solver import Over
from solvers.attempt import execution
from solvers.branches.facts import CLOCK, END, EXECUTION, HELD_OUT
from solvers.branches.hand import Hand
from solvers.branches.order import Check, Order, Worked, digest_of, part_of
from solvers.branches.result import attempt_of
from solvers.branches.scale import Ends
from solvers.branches.station import Station
from solvers.branches.workbench import Bench, checked
from solvers.measuring.measurements import Measurements
from solvers.measuring.score import Seeding
from solvers.tasks.packed import PackedTask

GRACE = 60.0  # seconds beside the longest execution, before a branch that does not end is ended
ENGINE_WAIT = 30.0  # seconds that an engine that went away is waited for, so that the next branch finds it again


class Branches:
    """The branches of one task, profile and solver on one node, ``at_once`` of them.

    outputs: where measurements are kept on this node, on a shared disk or its own. BadInput where no engine answers.
    """

    def __init__(
        self,
        packed: PackedTask,
        profile: str,
        solver: SolverSettings,
        coder: Spec | None,
        outputs: Path,
        at_once: int,
        desk: Pool[Desk],
        delay: float,
    ) -> None:
        self._packed, self._profile = packed, profile
        self._solver, self._coder = solver, coder
        self._measurements = Measurements(outputs / "measurements")
        self._turns = asyncio.Semaphore(at_once)
        self._channel = Channel(desk, delay)
        self._station: Station | None = None
        self._opening = asyncio.Lock()
        self._model: Model | None = None

    async def solve(self, order: Order, recorded: Recorded) -> Worked:
        """Work on one order to its end, from wherever it stopped; a fault becomes its attempt's."""
        part = part_of(order.assignment.branch)
        tape = Tape.of(order.unit, part, recorded, self._channel, order.life, order.draws)
        node = Tape.of(order.unit, f"{part}.node", recorded, self._channel, order.life)
        clock = clock_of(order, recorded.of(part).facts)
        async with self._turns:
            began, fault = clock(), None
            try:
                async with self._hand(order.unit, node, order.anchors) as hand:
                    bench = await self._bench(order, tape, hand, recorded.of(part).facts, clock)
                    if bench.late and not bench.tried:
                        raise UnitFault("its time was spent before it could measure anything", ErrorKind.CLOCK)
                    await self._solved(bench)
            except UnitFault as error:
                if error.kind is ErrorKind.AUTH:
                    raise
                fault = error
                await self._await_engine(fault)
            attempt = attempt_of(order, tape, fault, clock() - began)
            title = order.assignment.idea.title if order.assignment.idea else order.assignment.operator
            ended = {"attempt": attempt.model_dump(mode="json"), "title": title, CLOCK: clock()}
            await tape.keep_fact(END, tape.round, digest_of(order.assignment), ended)
        return Worked(facts=(*tape.facts, *node.facts), calls=(*tape.calls, *tape.rest()))

    async def verify(self, check: Check, recorded: Recorded) -> Fact:
        """Measure a search's result once more, on seeds that no execution of it has seen. It is not counted."""
        tape = Tape.of(check.unit, HELD_OUT, recorded, self._channel, check.life)
        node = Tape.of(check.unit, f"{HELD_OUT}.node", recorded, self._channel, check.life)
        async with self._turns, self._hand(check.unit, node, check.anchors) as hand:
            own = check.solution.hash
            await tape.begin_fact(HELD_OUT, check.index, own)
            score = await hand.measure(check.solution, Seeding.HELD_OUT)
            row = checked(execution(score, check.branch, check.index, "held-out verification"))
            return await tape.keep_fact(HELD_OUT, check.index, own, {EXECUTION: row.model_dump(mode="json")})

    async def _solved(self, bench: Bench) -> None:
        """The solver at work, until it is done, or out of executions or time."""
        description = bench.task.description
        longest = description.verifier.timeout_sec + description.environment.build_timeout_sec + GRACE
        try:
            async with asyncio.timeout(max(0.0, bench.deadline - time.monotonic()) + longest):
                await open_solver(self._solver).solve(bench)
        except Over:
            pass
        except TimeoutError:
            raise UnitFault(f"the branch was still at work {longest:g} s after its time", ErrorKind.OVERRUN) from None

    async def _bench(
        self, order: Order, tape: Tape, hand: Hand, recorded: tuple[Fact, ...], clock: Callable[[], float]
    ) -> Bench:
        if self._coder is not None and self._model is None:
            gate = self._channel.gate(self._coder)
            self._model = open_model(self._coder, NO_CORPUS, gate, self._channel.again)
        return Bench(
            task=(await self._here()).task,
            profile=self._profile,
            assignment=order.assignment,
            hint=order.hint,
            start=order.start,
            tape=tape,
            model=self._model,
            site=hand.site,
            measure=hand.measure,
            allowed=order.executions,
            deadline=time.monotonic() + min(order.seconds - used(order, recorded), order.until - clock()),
            clock=clock,
            recorded=recorded,
        )

    @asynccontextmanager
    async def _hand(self, unit: str, tape: Tape, known: dict[str, Ends]) -> AsyncIterator[Hand]:
        """A warm evaluator on the node's scale."""
        station = await self._here()
        async with Hand.taken(station, tape.unit) as hand:
            await hand.calibrate(unit, tape, self._measurements, known, self._channel.desk)
            yield hand

    async def _here(self) -> Station:
        async with self._opening:
            if self._station is None:
                self._station = await asyncio.to_thread(Station, self._packed, self._profile)
        return self._station

    async def _await_engine(self, fault: UnitFault) -> None:
        """Nodes whose engine is gone would otherwise take one branch after the other, being done so quickly."""
        if fault.kind is not ErrorKind.ENGINE or self._station is None:
            return
        ends = time.monotonic() + ENGINE_WAIT
        while not await asyncio.to_thread(self._station.engine.answers) and time.monotonic() < ends:
            await asyncio.sleep(1.0)


def clock_of(order: Order, facts: tuple[Fact, ...]) -> Callable[[], float]:
    """Seconds of the search, from when the branch began, without the time between its lives."""
    began, before = time.monotonic(), order.clock + used(order, facts)
    return lambda: before + time.monotonic() - began


def used(order: Order, facts: tuple[Fact, ...]) -> float:
    """Seconds that earlier lives of the branch took, as far as their results tell."""
    return max((fact.value.get(CLOCK, 0.0) for fact in facts if fact.value), default=order.clock) - order.clock
