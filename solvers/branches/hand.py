"""What a branch measures with: an evaluator in a thread of its own: containers hear one call at a time."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, asynccontextmanager
from functools import partial
from typing import ParamSpec, TypeVar

from actors.desk import Desk
from actors.pool import Pool
from actors.replay import Tape
from solvers.branches.facts import ANCHORS
from solvers.branches.scale import Ends, anchors, node_key, on_scale_of
from solvers.branches.station import Station
from solvers.branches.workbench import Site
from solvers.containers.engine import LABEL, EngineFault
from solvers.measuring.cores import alone
from solvers.measuring.execution import Evaluates, said_nothing
from solvers.measuring.measurements import Measurements
from solvers.measuring.score import Role, Score, Seeding
from solvers.tasks.task import Trust
from solvers.workspace.solution import Refused, Solution

ENDS = ("baseline", "reference")
P = ParamSpec("P")
T = TypeVar("T")


class Leave:
    """Whether a branch is still at its evaluator; seen by the thread that works for it."""

    def __init__(self) -> None:
        self._left = threading.Event()

    def take(self) -> None:
        """The branch is gone."""
        self._left.set()

    def still(self) -> None:
        """EngineFault once the branch is gone: nothing may begin for it."""
        if self._left.is_set():
            raise EngineFault("its branch was left")


class Hand:
    """An evaluator in use by one branch."""

    def __init__(
        self, station: Station, evaluator: Evaluates, site: Site, thread: ThreadPoolExecutor, leave: Leave
    ) -> None:
        self._station, self._evaluator, self._thread, self._leave = station, evaluator, thread, leave
        self.site = site
        self._ends: Ends | None = None

    @classmethod
    @asynccontextmanager
    async def taken(cls, station: Station, unit: str) -> AsyncIterator["Hand"]:
        """An evaluator for as long as the block lasts. Leaving ends its containers and whatever waits."""
        thread, leave = ThreadPoolExecutor(1, thread_name_prefix=unit), Leave()
        context, held = station.evaluator({f"{LABEL}.unit": unit}, leave.still), ExitStack()
        try:
            try:
                evaluator, site = await asyncio.wrap_future(thread.submit(held.enter_context, context))
            except asyncio.CancelledError:  # an image that is being built is built to its end
                leave.take()
                thread.submit(held.close)
                raise
            try:
                yield cls(station, evaluator, site, thread, leave)
            finally:
                leave.take()
                await asyncio.shield(asyncio.to_thread(held.close))
        finally:
            thread.shutdown(wait=False)

    async def _run(self, work: Callable[P, T], *args: P.args, **kw: P.kwargs) -> T:
        """In the evaluator's thread. Where nobody waits for it any more the branch is being left, and it ends too."""
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, partial(work, *args, **kw))
        except asyncio.CancelledError:
            self._leave.take()
            await asyncio.shield(asyncio.to_thread(self._evaluator.close))
            raise

    async def calibrate(
        self, unit: str, tape: Tape, measurements: Measurements, known: dict[str, Ends], desk: Pool[Desk]
    ) -> None:
        """Find this node's anchors: those that the search knows, or this disk, or measured, by one branch of the node.

        They are facts of the branch. Branches of one machine whose disks are apart learn of each other's at the desk.
        """
        task, profile = self._station.task, self._station.profile
        if task.trust is Trust.FOREIGN:
            return
        found, index = dict(known), 0
        while (fact := tape.recall(ANCHORS, index)) is not None:
            if fact.value is not None:
                found[fact.about] = fact.value["baseline"], fact.value["reference"]
            index += 1
        key = node_key(task, profile, self._evaluator)
        if key not in found:
            lock, held = alone(self._station.cores.folder, f"calibrating-{key}", self._leave.still), ExitStack()
            try:
                await self._run(held.enter_context, lock)
                others = await desk.call(Desk.learnt, None, unit, ANCHORS, key)
                ends = {name: others[0][name] for name in ENDS} if others else await self._measured(measurements)
                await tape.keep_fact(ANCHORS, index, key, ends)
            finally:
                await self._run(held.close)
            found[key] = ends["baseline"], ends["reference"]
        self._ends = found[key]

    async def _measured(self, measurements: Measurements) -> dict[str, float]:
        about = (self._station.task, self._station.profile, self._evaluator, measurements, said_nothing)
        return dict(zip(ENDS, await self._run(anchors, *about), strict=True))

    async def measure(self, solution: Solution | Refused, seeding: Seeding = Seeding.SEARCH) -> Score:
        """One execution, on the node's scale."""
        score = await self._run(self._evaluator.evaluate, solution, Role.SOLUTION, seeding)
        return on_scale_of(self._station.task, self._station.profile, score, self._ends)
