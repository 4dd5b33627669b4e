"""Plays an agenda: a bounded number of units at once, each kept as it ends, until all is done or it has to stop."""

import asyncio
import time
from collections.abc import Iterable
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from math import ceil

from actors.channel import Stopped
from actors.desk import Desk
from actors.errors import BadInput, ErrorKind
from actors.pool import Cluster, LocalCluster, Lost, Pool
from actors.record import Record
from actors.recorded import Recorded
from pipelines.account import close_account, command, earlier, open_account
from pipelines.agenda import Agenda, Job
from pipelines.claims import Claims
from pipelines.entry import Entry
from pipelines.interrupt import gently, raise_when_interrupted
from pipelines.journals import Journals, collect
from pipelines.news import News
from pipelines.progress import Meter
from pipelines.search_plan import stand_aside
from pipelines.settings import Cluster as ClusterSettings
from pipelines.stage import Stage
from pipelines.store import Store, Writer
from pipelines.work import Work

LIVES = 3  # how often in a row a unit may lose its actor without a step forward before that is its result
LOOK = 1.0  # seconds between two looks at what other drivers play
INTERRUPTED = "interrupted"


@dataclass
class Course:
    """How a run went. stopped: why it sent no more requests, if it stopped before its end."""

    failed: int = 0
    stopped: str = ""
    refused: str = ""


class Driver:
    """Plays an agenda to its end. fail_over: the count of failed units at which it stops."""

    def __init__(
        self,
        store: Store,
        writer: Writer,
        agenda: Agenda,
        stage: Stage,
        desk: Pool[Desk],
        meter: Meter,
        fail_over: int | None,
    ) -> None:
        self._store = store
        self._writer = writer
        self._claims = Claims(store, writer)
        self._agenda = agenda
        self._stage = stage
        self._desk = desk
        self._meter = meter
        self._fail_over = fail_over
        self._journals = Journals(store, agenda.units())
        self._news = News(writer.journal) if any(job.unit.kind == "search" for job in agenda.jobs()) else None
        self._reading = asyncio.Lock()
        self._under_way: set[asyncio.Task[Record]] = set()
        self._looked = 0.0
        self.course = Course()

    async def run(self, in_flight: int) -> None:
        """Play everything, or as much as may be played."""
        try:
            while True:
                if not self.course.stopped:
                    await self._fill(in_flight)
                if self._under_way:
                    await self._wait(LOOK if self._agenda.elsewhere or self.course.stopped or self._news else None)
                elif self.course.stopped or not (self._agenda or await self._grow()):
                    break
                else:  # what is left is played by other drivers
                    await asyncio.sleep(LOOK)
        finally:
            for task in self._under_way:
                task.cancel()
            await asyncio.gather(*self._under_way, return_exceptions=True)

    async def _grow(self) -> bool:
        """Take up what is known only now that all else has ended; whether there is anything."""
        jobs = await asyncio.to_thread(self._agenda.grow)
        if jobs:
            await asyncio.to_thread(self._journals.more, [job.unit.id for job in jobs])
            self._stage.prepare(jobs)
            self._meter.more(len(jobs))
        return bool(jobs)

    async def stop(self, why: str) -> None:
        """Send no more requests; what is under way comes in, and units stay where they are."""
        if not self.course.stopped:
            self.course.stopped = why
            await self._tell(why)

    async def _tell(self, why: str) -> None:
        with suppress(Lost):
            await self._desk.call(Desk.stop, None, why)

    async def _fill(self, in_flight: int) -> None:
        """Take on as many units as there is room for."""
        room = in_flight - len(self._under_way)
        if room and self._agenda.elsewhere and time.monotonic() - self._looked >= LOOK:
            self._looked = time.monotonic()
            self._take(*await asyncio.to_thread(self._agenda.look, room, self._claims))
        room = in_flight - len(self._under_way)
        if room:
            self._take(*await asyncio.to_thread(self._agenda.take, room, self._claims))

    def _take(self, jobs: Iterable[Job], ended: Iterable[Entry]) -> None:
        for job in jobs:
            self._under_way.add(asyncio.create_task(self._play(job)))
        for entry in ended:
            failed = entry.status != "ok"
            self.course.failed += failed
            self._journals.forget(entry.unit)
            self._meter.ended(failed, 0, f"{entry.unit}: failed in another driver's run")

    async def _wait(self, seconds: float | None) -> None:
        done, self._under_way = await asyncio.wait(
            self._under_way, timeout=seconds, return_when=asyncio.FIRST_COMPLETED
        )
        for line in self._news.lines() if self._news else ():
            self._meter.say(line)
        if self.course.stopped and not done:  # a desk that was started again has forgotten it
            await self._tell(self.course.stopped)
        ended = await asyncio.gather(*done, return_exceptions=True)
        await self._keep([one for one in ended if isinstance(one, Record)])
        for one in ended:
            if isinstance(one, Stopped):
                await self.stop(str(one))
            elif isinstance(one, BadInput):  # no actor to be had: that is for the person to mend
                await self._refuse(str(one))
            elif isinstance(one, BaseException):
                raise one

    async def _keep(self, records: list[Record]) -> None:
        refused = [record for record in records if record.error_kind is ErrorKind.AUTH]
        kept = [record for record in records if record.error_kind is not ErrorKind.AUTH]
        await asyncio.to_thread(self._writer.finish, kept)
        for record in kept:
            failed = record.status != "ok"
            self.course.failed += failed
            self._agenda.ended(record.unit, record.status)
            self._journals.forget(record.unit)
            new = sum(call.started_at >= record.finished_at - record.seconds for call in record.calls)
            self._meter.ended(failed, new, f"{record.unit}: {record.error_kind}: {record.error}")
        if refused:  # every unit would fail alike: that is for the person to mend
            await self._refuse(str(refused[0].error))
        if self._fail_over and self.course.failed >= self._fail_over:
            await self.stop(f"{self.course.failed} units failed, and fail_over= allows no more")

    async def _refuse(self, why: str) -> None:
        """Stop, to end with one line and exit code 2; the units stay open."""
        self.course.refused = self.course.refused or why
        await self.stop(why)

    async def _play(self, job: Job) -> Record:
        unit = job.unit.id
        self._writer.begin(unit)
        if job.forced:
            await asyncio.to_thread(self._writer.restart, unit)
        recorded = Recorded() if job.forced else await self._recorded(unit, anew=unit in self._claims.inherited)
        if self._news:
            self._news.begin(unit, recorded.facts)
        losses = life = 0
        while True:
            try:
                return await self._stage.play(job, recorded, self._store, life)
            except Lost as error:
                life += 1
                with suppress(Lost):
                    await self._desk.call(Desk.drop, None, unit, life)
                known = recorded.known
                recorded = await self._recorded(unit, anew=True)
                losses = 1 if recorded.known > known else losses + 1
                if losses == LIVES:
                    parent = self._store.finished(job.unit.parent) if job.unit.parent else None
                    return job.lost(parent, recorded, str(error))

    async def _recorded(self, unit: str, anew: bool) -> Recorded:
        """What is on disk of a unit; ``anew``: with what came to the journals since they were last looked at."""
        async with self._reading:
            if anew:
                await asyncio.to_thread(self._journals.rescan)
            return await asyncio.to_thread(self._journals.recorded, unit)


def allowed_failures(fail_over: float | int | None, units: int) -> int | None:
    """``fail_over`` as a count: a fraction is one of all units to play."""
    if fail_over is None or isinstance(fail_over, int):
        return fail_over
    return max(1, ceil(fail_over * units))


async def play(driver: Driver, in_flight: int, meter: Meter) -> None:
    """Run a driver; BadInput if an endpoint refused what the person gave it."""
    stopping: set[asyncio.Task[None]] = set()

    def stop() -> None:
        meter.say("stopping: requests under way may finish; once more stops at once")
        stopping.add(asyncio.create_task(driver.stop(INTERRUPTED)))

    with gently(stop):
        await driver.run(in_flight)
    if driver.course.refused:
        raise BadInput(f"{driver.course.refused}; the run stopped, what was played is kept, the same command goes on")


def drive(works: list[Work], store: Store, agenda: Agenda, meter: Meter) -> Course:
    """Play an agenda on the cluster that the runs name; BadInput if an endpoint refuses, or a cap cannot be kept."""
    raise_when_interrupted()
    settings, runs = works[0].settings, command(works)
    fail_over = allowed_failures(settings.fail_over, len(agenda))
    with ExitStack() as ending:  # in reverse, and all of it, whatever fails
        ending.callback(collect, store)
        writer = Writer(store)
        ending.callback(lambda: writer.close(keep_journal=not close_account(writer.folder)))
        open_account(writer.folder, runs)
        before = earlier(store, runs, writer.name, capped=settings.budget.capped)
        stand_aside(works)
        cluster = open_cluster(settings.cluster)
        ending.callback(cluster.close)
        raise_when_interrupted()
        about = (writer.folder, runs, settings.budget.caps, before, time.time())
        desk = cluster.pool(Desk, *about, beside_driver=True)

        async def run() -> Course:
            stage = Stage(cluster, desk)
            stage.prepare(agenda.jobs())
            driver = Driver(store, writer, agenda, stage, desk, meter, fail_over)
            try:
                await play(driver, settings.cluster.in_flight, meter)
            finally:
                await stage.close()
            return driver.course

        return asyncio.run(run())


def open_cluster(settings: ClusterSettings) -> Cluster:
    """Ray, or its local twin."""
    if not settings.ray:
        return LocalCluster()
    from actors.ray_pool import RayCluster

    return RayCluster(settings.address, settings.patience)
