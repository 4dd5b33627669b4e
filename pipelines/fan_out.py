"""Fan units out over the pools, a bounded number at once, and keep each as it ends."""

import asyncio
from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from actors.answerer import Answerer
from actors.dialogue import Card
from actors.errors import BadInput, ErrorKind
from actors.game import Games, Plan
from actors.gateway import Corpus
from actors.journal import Journal
from actors.judging import Judgings
from actors.pool import Cluster, LocalCluster, Lost, Pool, RayCluster
from actors.record import Record, Recorded
from actors.row import Row
from pipelines.plan import Work
from pipelines.progress import Meter
from pipelines.settings import Cluster as ClusterSettings
from pipelines.store import Store, Writer
from pipelines.unit import Unit

LIVES = 3  # how often a unit may lose its actor before that is its result


@dataclass(frozen=True)
class Job:
    """A unit to play, with the run that wants it."""

    unit: Unit
    work: Work


class Agenda:
    """What is to be played, in order: a judging comes up when its game is there."""

    def __init__(self, works: Iterable[Work], store: Store) -> None:
        self.ready: deque[Job] = deque()
        self._waiting: dict[str, list[Job]] = {}
        self.forced: set[str] = set()
        seen: set[str] = set()
        for work in works:
            for unit in work.units:
                if unit.id not in seen and unit.chosen(work.settings.only):
                    seen.add(unit.id)
                    self._enter(Job(unit, work), store)

    def _enter(self, job: Job, store: Store) -> None:
        unit, entry = job.unit, store.finished(job.unit.id)
        # A judge run takes games as they are: it forces ratings, not games.
        given = unit.kind == "game" and job.work.settings.experiment == "judge"
        forced = job.work.settings.force and not given
        if given or (entry and entry.status == "ok" and not forced):
            return
        if forced:
            self.forced.add(unit.id)
        game = store.finished(unit.game) if unit.game else None
        if unit.game in self._waiting:
            self._waiting[unit.game].append(job)
        elif unit.kind == "game":
            self._waiting[unit.id] = []
            self.ready.append(job)
        elif game and game.status == "ok":
            self.ready.append(job)

    def ended(self, record: Record) -> None:
        """A unit has ended: what waited for it comes up next, or stays open if it failed."""
        waiting = self._waiting.pop(record.unit, [])
        if record.status == "ok":
            self.ready.extendleft(reversed(waiting))

    def __len__(self) -> int:
        return len(self.ready) + sum(map(len, self._waiting.values()))

    def units(self) -> list[str]:
        """The ids of all that is on it."""
        return [job.unit.id for job in (*self.ready, *(job for jobs in self._waiting.values() for job in jobs))]


class Stage:
    """The actors of the runs at hand: a pool for each model and seat, raised when its first unit comes.

    Runs of one sweep share a pool wherever model, papers and strategy are the same.
    """

    def __init__(self, cluster: Cluster, journal: Path) -> None:
        self._cluster = cluster
        self._journal: Pool[Journal] = cluster.pool(Journal, journal, beside_driver=True)
        self._keys: dict[int, str] = {}
        self._shared: dict[str, Corpus] = {}
        self._pools: dict[tuple[str, ...], Pool[Any]] = {}

    def _pool(self, seat: type[Any], work: Work, name: str, size: int, *more: Any) -> Pool[Any]:
        spec, corpus = work.settings.models[name], self._key(work)
        rows = (one.model_dump_json() for one in more if isinstance(one, Row))
        place = (seat.__name__, spec.model_dump_json(), corpus, *rows)
        if place not in self._pools:
            if corpus not in self._shared:
                self._shared[corpus] = self._cluster.share(work.corpus)
            self._pools[place] = self._cluster.pool(
                seat, spec, self._shared[corpus], *more, size=size, cpus=work.settings.cluster.cpus
            )
        return self._pools[place]

    def _key(self, work: Work) -> str:
        if id(work) not in self._keys:
            self._keys[id(work)] = corpus_key(work.corpus)
        return self._keys[id(work)]

    def games(self, work: Work, model: str) -> Pool[Games]:
        """The inquisitors of one model. Answerers are chosen by paper, so that prefix caches stay warm."""
        settings, actors = work.settings, work.settings.cluster.actors
        answerers = self._pool(Answerer, work, settings.answerer, actors.answerer)
        more = (settings.models[settings.answerer], settings.strategy, answerers, self._journal, self._cluster.delay)
        return self._pool(Games, work, model, actors.inquisitor, *more)

    def judgings(self, work: Work, model: str) -> Pool[Judgings]:
        """The judges of one model."""
        return self._pool(Judgings, work, model, work.settings.cluster.actors.judge, self._journal, self._cluster.delay)

    async def close(self) -> None:
        """Close the journal; the actors end with the cluster."""
        with suppress(Lost):
            await self._journal.call(Journal.close, None)

    async def play(self, job: Job, recorded: Recorded, store: Store) -> Record:
        """One unit, start to end, on whatever actor is free."""
        unit, work = job.unit, job.work
        if unit.kind == "judging":
            assert unit.judge is not None
            assert unit.game is not None
            game = store.record(unit.game)
            cards = [Card.model_validate(row) for row in game.rows["cards"]]
            pool = self.judgings(work, unit.judge)
            return await pool.call(Judgings.rate, None, unit.id, unit.game, game.digest, unit.paper, cards, recorded)
        survey = work.corpus.surveys.get(unit.paper)
        plan = Plan(
            unit=unit.id,
            paper=unit.paper,
            context=survey.context(unit.condition) if survey else None,
            questions=unit.questions,
            card_every=work.settings.card_every,
        )
        return await self.games(work, unit.model).call(Games.play, None, plan, recorded)


class Driver:
    """Plays an agenda to its end."""

    def __init__(self, store: Store, writer: Writer, agenda: Agenda, stage: Stage, meter: Meter) -> None:
        self._store = store
        self._writer = writer
        self._agenda = agenda
        self._stage = stage
        self._meter = meter
        self._recorded = store.recorded(agenda.units())

    async def run(self, in_flight: int) -> None:
        """Play everything."""
        under_way: set[asyncio.Task[Record]] = set()
        try:
            while under_way or self._agenda.ready:
                while self._agenda.ready and len(under_way) < in_flight:
                    under_way.add(asyncio.create_task(self._play(self._agenda.ready.popleft())))
                done, under_way = await asyncio.wait(under_way, return_when=asyncio.FIRST_COMPLETED)
                ended = await asyncio.gather(*done, return_exceptions=True)
                await self._keep([one for one in ended if isinstance(one, Record)])
                for one in ended:
                    if isinstance(one, BaseException):
                        raise one
        finally:
            for task in under_way:
                task.cancel()
            await asyncio.gather(*under_way, return_exceptions=True)

    async def _keep(self, records: list[Record]) -> None:
        refused = [record for record in records if record.error_kind is ErrorKind.AUTH]
        kept = [record for record in records if record.error_kind is not ErrorKind.AUTH]
        await asyncio.to_thread(self._writer.finish, kept)
        for record in kept:
            bad = record.status != "ok"
            self._agenda.ended(record)
            new = sum(call.started_at >= record.finished_at - record.seconds for call in record.calls)
            self._meter.ended(bad, new, f"{record.unit}: {record.error_kind}: {record.error}")
        if refused:  # every unit would fail alike: that is for the person to mend
            why = refused[0].error
            raise BadInput(f"{why}; the run stopped, what was played is kept, the same command goes on")

    async def _play(self, job: Job) -> Record:
        self._writer.begin(job.unit.id)
        recorded = self._recorded.pop(job.unit.id)
        if job.unit.id in self._agenda.forced:
            self._writer.restart(job.unit.id)
            recorded = Recorded()
        for _ in range(LIVES):
            try:
                return await self._stage.play(job, recorded, self._store)
            except Lost as error:
                why = str(error)
                recorded = (await asyncio.to_thread(self._store.recorded, [job.unit.id]))[job.unit.id]
        return lost(job.unit, recorded, why)


def lost(unit: Unit, recorded: Recorded, why: str) -> Record:
    """The record of a unit whose actors kept dying: an error, with what was paid kept for another try."""
    return Record(
        unit=unit.id,
        parent=unit.game,
        status="error",
        error_kind=ErrorKind.LOST,
        error=why,
        round=recorded.round,
        rows={},
        calls=list(recorded.calls),
    )


def corpus_key(corpus: Corpus) -> str:
    """The same for two corpora that hold the same."""
    papers = [f"{name} {paper.sha256}" for name, paper in corpus.papers.items()]
    return "\n".join([*papers, *(survey.sha256 for survey in corpus.surveys.values()), str(corpus.seed)])


def open_cluster(settings: ClusterSettings) -> Cluster:
    """Ray, or its local twin."""
    return RayCluster(settings.address, settings.in_flight) if settings.ray else LocalCluster()


def drive(works: list[Work], store: Store, agenda: Agenda, meter: Meter) -> None:
    """Play an agenda on the cluster of its first run; returns the count of failures."""
    settings = works[0].settings.cluster
    writer = Writer(store)
    cluster: Cluster | None = None
    try:
        cluster = open_cluster(settings)

        async def play() -> None:
            stage = Stage(cluster, writer.journal)
            try:
                await Driver(store, writer, agenda, stage, meter).run(settings.in_flight)
            finally:
                await stage.close()

        asyncio.run(play())
    finally:
        if cluster is not None:
            cluster.close()
        writer.close()
