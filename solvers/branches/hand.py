"""What a branch measures with: an evaluator in a thread of its own: containers hear one call at a time."""

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial
from typing import ParamSpec, TypeVar

from actors.desk import Desk
from actors.pool import Pool
from actors.replay import Tape
from solvers.branches.facts import ANCHORS
from solvers.branches.scale import Ends, anchors, node_key, on_scale_of
from solvers.branches.station import Station
from solvers.branches.workbench import Site
from solvers.containers.engine import LABEL
from solvers.measuring.cores import alone
from solvers.measuring.execution import Evaluates, said_nothing
from solvers.measuring.measurements import Measurements
from solvers.measuring.score import Role, Score, Seeding
from solvers.tasks.task import Trust
from solvers.workspace.solution import Refused, Solution

ENDS = ("baseline", "reference")
P = ParamSpec("P")
T = TypeVar("T")


class Hand:
    """An evaluator in use by one branch."""

    def __init__(self, station: Station, evaluator: Evaluates, site: Site, thread: ThreadPoolExecutor) -> None:
        self._station, self._evaluator, self._thread = station, evaluator, thread
        self.site = site
        self._ends: Ends | None = None

    @classmethod
    @asynccontextmanager
    async def taken(cls, station: Station, unit: str) -> AsyncIterator["Hand"]:
        """An evaluator for as long as the block lasts. Leaving ends the containers, and so whatever waits for them."""
        thread = ThreadPoolExecutor(1, thread_name_prefix=unit)
        context = station.evaluator({f"{LABEL}.unit": unit})
        entering = asyncio.get_running_loop().run_in_executor(thread, context.__enter__)
        try:
            evaluator, site = await asyncio.shield(entering)
        except asyncio.CancelledError:  # the thread goes on: it leaves again as soon as it is in
            thread.submit(context.__exit__, None, None, None)
            raise
        finally:
            if entering.done() and entering.exception() is not None:
                thread.shutdown(wait=False)
        try:
            yield cls(station, evaluator, site, thread)
        finally:
            await asyncio.shield(asyncio.to_thread(context.__exit__, None, None, None))
            thread.shutdown(wait=False)

    async def _run(self, work: Callable[P, T], *args: P.args, **kw: P.kwargs) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, partial(work, *args, **kw))

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
            lock = alone(self._station.cores.folder, f"calibrating-{key}")
            await self._run(lock.__enter__)
            try:
                others = await desk.call(Desk.learnt, None, unit, ANCHORS, key)
                ends = {name: others[0][name] for name in ENDS} if others else await self._measured(measurements)
                await tape.keep_fact(ANCHORS, index, key, ends)
            finally:
                await self._run(lock.__exit__, None, None, None)
            found[key] = ends["baseline"], ends["reference"]
        self._ends = found[key]

    async def _measured(self, measurements: Measurements) -> dict[str, float]:
        about = (self._station.task, self._station.profile, self._evaluator, measurements, said_nothing)
        return dict(zip(ENDS, await self._run(anchors, *about), strict=True))

    async def measure(self, solution: Solution | Refused, seeding: Seeding = Seeding.SEARCH) -> Score:
        """One execution, on the node's scale."""
        score = await self._run(self._evaluator.evaluate, solution, Role.SOLUTION, seeding)
        return on_scale_of(self._station.task, self._station.profile, score, self._ends)
