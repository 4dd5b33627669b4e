"""The actors of the runs at hand: a pool for each model and seat; its actors are raised when its first unit comes.

Runs of one sweep share a pool wherever model, papers and strategy are the same.
"""

from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any

from actors.answerer import open_answerer
from actors.desk import Desk
from actors.dialogue import Card
from actors.game import Games, Plan
from actors.gateway import Corpus
from actors.judging import Judgings
from actors.pool import Cluster, Lost, Pool
from actors.record import Record
from actors.recorded import Recorded
from actors.row import Row
from pipelines.agenda import Job
from pipelines.search_settings import SearchSettings
from pipelines.search_unit import SearchUnit
from pipelines.store import Store
from pipelines.unit import Unit
from pipelines.work import Work

if TYPE_CHECKING:
    from pipelines.search_stage import SearchStage

KEPT_GAMES = 100


class Stage:
    """Every seat's pools, and the desk that they all announce their requests at."""

    def __init__(self, cluster: Cluster, desk: Pool[Desk]) -> None:
        self._cluster = cluster
        self._desk = desk
        self._keys: dict[int, str] = {}
        self._shared: dict[str, Corpus] = {}
        self._pools: dict[tuple[str, ...], Pool[Any]] = {}
        self._rated: dict[tuple[str, str], list[Card]] = {}

    @cached_property
    def _search_stage(self) -> "SearchStage":
        """Imported only where there is a search: it needs the container engine's SDK."""
        import pipelines.search_stage as lazily

        return lazily.SearchStage(self._cluster, self._desk)

    def prepare(self, jobs: Iterable[Job]) -> None:
        """Ask for all pools that jobs need, so that a cluster without room for one is refused before the first call."""
        for job in {(id(one.work), one.unit.kind, speaker(one.unit)): one for one in jobs}.values():
            if isinstance(job.work.settings, SearchSettings):
                self._search_stage.pool(job.work, job.work.settings)
            elif job.unit.kind == "judging":
                self._judgings(job.work, speaker(job.unit))
            else:
                self._games(job.work, speaker(job.unit))

    async def play(self, job: Job, recorded: Recorded, store: Store, life: int) -> Record:
        """One unit, start to end, on whatever actor is free."""
        unit, work = job.unit, job.work
        if isinstance(unit, SearchUnit):
            return await self._search_stage.play(unit, work, recorded, life)
        if unit.kind == "judging":
            assert unit.judge is not None
            assert unit.game is not None
            pool, digest, cards = self._judgings(work, unit.judge), *self._cards(unit.game, store)
            about = (unit.id, unit.game, digest, unit.paper, cards)
            return await pool.call(Judgings.rate, None, *about, recorded, life)
        survey = work.corpus.surveys.get(unit.paper)
        plan = Plan(
            unit=unit.id,
            paper=unit.paper,
            context=survey.context(unit.condition) if survey else None,
            questions=unit.questions,
            card_every=work.game.card_every,
        )
        return await self._games(work, unit.model).call(Games.play, None, plan, recorded, life)

    def _cards(self, game: str, store: Store) -> tuple[str, list[Card]]:
        """A game's digest and cards; the judges of one game come one after the other, so the last few are kept."""
        entry = store.finished(game)
        assert entry is not None, f"{game} is not finished"
        if (game, entry.digest) not in self._rated:
            while len(self._rated) >= KEPT_GAMES:
                del self._rated[next(iter(self._rated))]
            rows = store.plain(game)["rows"]["cards"]
            self._rated[game, entry.digest] = [Card.model_validate(row) for row in rows]
        return entry.digest, self._rated[game, entry.digest]

    def _games(self, work: Work, model: str) -> Pool[Games]:
        """The inquisitors of one model, with the answerers in the same actors or chosen by paper for their caches."""
        settings = work.game
        apart = settings.cluster.placement == "pools"
        answerers = self._pool("answerer", open_answerer, work, settings.answerer, *self._way) if apart else None
        more = (settings.models[settings.answerer], settings.strategy, answerers, *self._way)
        return self._pool("inquisitor", Games, work, model, *more)

    def _judgings(self, work: Work, model: str) -> Pool[Judgings]:
        return self._pool("judge", Judgings, work, model, *self._way)

    @property
    def _way(self) -> tuple[Pool[Desk], float]:
        return self._desk, self._cluster.delay

    def _pool(self, seat: str, build: Callable[..., Any], work: Work, name: str, *more: Any) -> Pool[Any]:
        settings, corpus = work.settings, self._key(work)
        spec = settings.models[name]
        rows = (one.model_dump_json() for one in more if isinstance(one, Row))
        place = (seat, spec.model_dump_json(), corpus, *rows)
        if place not in self._pools:
            if corpus not in self._shared:
                self._shared[corpus] = self._cluster.share(work.corpus)
            size, needs = getattr(settings.cluster.actors, seat), getattr(settings.cluster.needs, seat)
            shared = self._shared[corpus]
            self._pools[place] = self._cluster.pool(build, spec, shared, *more, size=size, needs=needs)
        return self._pools[place]

    def _key(self, work: Work) -> str:
        if id(work) not in self._keys:
            self._keys[id(work)] = corpus_key(work.corpus)
        return self._keys[id(work)]

    async def close(self) -> None:
        """Close the desk; the actors end with the cluster."""
        with suppress(Lost):
            await self._desk.call(Desk.close, None)


def speaker(unit: Unit) -> str:
    """The model whose pool plays a unit: a judge's, or the one that is studied."""
    return unit.judge if unit.kind != "search" and unit.judge else unit.model


def corpus_key(corpus: Corpus) -> str:
    """The same for two corpora that hold the same."""
    papers = [f"{name} {paper.sha256}" for name, paper in corpus.papers.items()]
    return "\n".join([*papers, *(survey.sha256 for survey in corpus.surveys.values()), str(corpus.seed)])
