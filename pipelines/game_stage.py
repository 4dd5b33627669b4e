"""The actors of the questioning game: a pool for each model and seat; its actors are raised when its first unit comes.

Runs of one sweep share a pool wherever model, papers and strategy are the same.
"""

from collections.abc import Callable, Mapping
from typing import Any

from actors.answerer import open_answerer
from actors.desk import Desk
from actors.dialogue import Card, Turn
from actors.game import Games, Plan
from actors.gateway import Corpus
from actors.judging import Judgings
from actors.model import Spec
from actors.pool import Cluster, Pool
from actors.pooled import PooledGames, PooledPlan, Selection
from actors.probing import Probes
from actors.reading import Readings
from actors.record import Record
from actors.recorded import Recorded
from actors.row import Row
from pipelines.game_unit import GameUnit
from pipelines.played_units import proposers
from pipelines.store import Store
from pipelines.work import Work

KEPT_GAMES = 100
Rows = dict[str, list[dict[str, Any]]]


class GameStage:
    """Every seat's pools."""

    def __init__(self, cluster: Cluster, desk: Pool[Desk]) -> None:
        self._cluster = cluster
        self._way = (desk, cluster.delay)
        self._keys: dict[int, str] = {}
        self._shared: dict[str, Corpus] = {}
        self._pools: dict[tuple[str, ...], Pool[Any]] = {}
        self._stored: dict[tuple[str, str], Rows] = {}

    def pool(self, unit: GameUnit, work: Work) -> Pool[Any]:
        """The actors that play or read a unit."""
        if unit.kind == "judging":
            return self._pool("judge", Judgings, work, unit.speaker, *self._way)
        if unit.kind == "pool":
            return self._pooled(work)
        if unit.kind == "probe":
            return self._pool("inquisitor", Probes, work, unit.model, work.game.strategy, *self._way)
        if unit.reader is not None:
            seat = "answerer" if unit.kind == "answers" else "annotator"
            return self._pool(seat, Readings, work, unit.reader, *self._way)
        return self._games(work, unit.model)

    async def play(self, unit: GameUnit, work: Work, recorded: Recorded, store: Store, life: int) -> Record:
        """One unit, start to end, on whatever actor is free."""
        pool = self.pool(unit, work)
        if unit.game is not None:
            method, read = self._reading(unit, work, store)
            return await pool.call(method, None, unit.id, unit.game, *read, recorded, life)
        if unit.kind == "pool":
            return await pool.call(PooledGames.play, None, pooled_plan(unit, work), recorded, life)
        if unit.kind == "probe":
            wanted = work.game.probe
            assert wanted is not None
            how = (unit.id, unit.paper, wanted.candidates, wanted.samples)
            return await pool.call(Probes.probe, None, *how, recorded, life)
        return await pool.call(Games.play, None, self._plan(unit, work, store), recorded, life)

    def _reading(self, unit: GameUnit, work: Work, store: Store) -> tuple[Callable[..., Any], list[Any]]:
        """The method that reads a stored unit, and what it takes beside the two units' names."""
        digest, rows = self._rows(unit, store)
        about, batch = [digest, unit.paper], work.game.batch
        if unit.kind == "judging":
            return Judgings.rate, [*about, [Card.model_validate(row) for row in rows["cards"]]]
        if unit.kind == "recognition":
            return Readings.recognise, [*about, [row["idea"] for row in rows["candidates"]]]
        turns = turns_of(rows)
        if unit.kind == "mentions":
            return Readings.mentions, [*about, turns, Card.model_validate(rows["cards"][-1]), batch]
        if unit.kind == "lines":
            return Readings.lines, [*about, unit.condition, turns, batch]
        if unit.kind == "tree":
            return Readings.tree, [*about, turns, batch]
        return Readings.answers, [*about, turns]

    def _plan(self, unit: GameUnit, work: Work, store: Store) -> Plan:
        survey = work.corpus.surveys.get(unit.paper)
        digest, rows = self._rows(unit, store) if unit.source else (None, {})
        return Plan(
            unit=unit.id,
            paper=unit.paper,
            context=survey.context(unit.condition) if survey else None,
            questions=unit.questions,
            card_every=work.game.card_every,
            history=tuple(turns_of(rows)[: unit.cut]) if unit.source else (),
            source=unit.source,
            source_digest=digest,
        )

    def _rows(self, unit: GameUnit, store: Store) -> tuple[str, Rows]:
        """The digest and the rows of the unit's parent; the readers of one game follow each other, so few are kept."""
        assert unit.parent is not None
        entry = store.finished(unit.parent)
        assert entry is not None, f"{unit.parent} is not finished"
        if (unit.parent, entry.digest) not in self._stored:
            while len(self._stored) >= KEPT_GAMES:
                del self._stored[next(iter(self._stored))]
            self._stored[unit.parent, entry.digest] = store.plain(unit.parent)["rows"]
        return entry.digest, self._stored[unit.parent, entry.digest]

    def _games(self, work: Work, model: str) -> Pool[Games]:
        """The inquisitors of one model, with the answerers in the same actors or chosen by paper for their caches."""
        more = (work.game.models[work.game.answerer], work.game.strategy, self._answerers(work), *self._way)
        return self._pool("inquisitor", Games, work, model, *more)

    def _pooled(self, work: Work) -> Pool[PooledGames]:
        """All that propose or pick, in one actor: they wait for each other at every turn."""
        settings = work.game
        assert settings.pool is not None
        names = (*settings.pool.proposers, *settings.pool.selectors, settings.pool.random, settings.pool.best_of)
        specs = {name: settings.models[name] for name in names if name is not None}
        more = (settings.models[settings.answerer], settings.strategy, self._answerers(work), *self._way)
        return self._pool("inquisitor", PooledGames, work, specs, *more)

    def _answerers(self, work: Work) -> Pool[Any] | None:
        apart = work.game.cluster.placement == "pools"
        return self._pool("answerer", open_answerer, work, work.game.answerer, *self._way) if apart else None

    def _pool(
        self, seat: str, build: Callable[..., Any], work: Work, who: str | Mapping[str, Spec], *more: Any
    ) -> Pool[Any]:
        settings, corpus = work.settings, self._key(work)
        spec = settings.models[who] if isinstance(who, str) else who
        told = [spec] if isinstance(spec, Spec) else list(spec.values())
        rows = (one.model_dump_json() for one in (*told, *more) if isinstance(one, Row))
        place = (seat, build.__qualname__, corpus, *rows)
        if place not in self._pools:
            if corpus not in self._shared:
                self._shared[corpus] = self._cluster.share(work.corpus)
            size, needs = getattr(settings.cluster.actors, seat), getattr(settings.cluster.needs, seat)
            self._pools[place] = self._cluster.pool(build, spec, self._shared[corpus], *more, size=size, needs=needs)
        return self._pools[place]

    def _key(self, work: Work) -> str:
        if id(work.corpus) not in self._keys:
            self._keys[id(work.corpus)] = corpus_key(work.corpus)
        return self._keys[id(work.corpus)]


def pooled_plan(unit: GameUnit, work: Work) -> PooledPlan:
    """A pooled game as its actors are told of it."""
    assert unit.selection is not None
    return PooledPlan(
        unit=unit.id,
        paper=unit.paper,
        proposers=proposers(work.game, unit.selection, unit.model),
        selection=Selection(unit.selection),
        selector=unit.model,
        questions=unit.questions,
        card_every=work.game.card_every,
    )


def turns_of(rows: Rows) -> list[Turn]:
    """The turns of a stored game, without what its tables know beside."""
    return [Turn.model_validate({name: row[name] for name in Turn.model_fields}) for row in rows["turns"]]


def corpus_key(corpus: Corpus) -> str:
    """The same for two corpora that hold the same."""
    papers = [f"{name} {paper.sha256}" for name, paper in corpus.papers.items()]
    return "\n".join([*papers, *(survey.sha256 for survey in corpus.surveys.values()), str(corpus.seed)])
