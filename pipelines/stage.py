"""The actors of the runs at hand: those of the game, and of the idea search."""

from collections.abc import Iterable
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING

from actors.desk import Desk
from actors.pool import Cluster, Lost, Pool
from actors.record import Record
from actors.recorded import Recorded
from pipelines.agenda import Job
from pipelines.game_stage import GameStage
from pipelines.game_unit import GameUnit
from pipelines.search_settings import SearchSettings
from pipelines.store import Store
from pipelines.unit import Unit

if TYPE_CHECKING:
    from pipelines.search_stage import SearchStage


class Stage:
    """Every pool, and the desk that they all announce their requests at."""

    def __init__(self, cluster: Cluster, desk: Pool[Desk]) -> None:
        self._cluster = cluster
        self._desk = desk
        self._games = GameStage(cluster, desk)

    @cached_property
    def _searches(self) -> "SearchStage":
        """Imported only where there is a search: it needs the container engine's SDK."""
        import pipelines.search_stage as lazily

        return lazily.SearchStage(self._cluster, self._desk)

    def prepare(self, jobs: Iterable[Job]) -> None:
        """Ask for all pools that jobs need, so that a cluster without room for one is refused before the first call."""
        for job in {(id(one.work), *seat(one.unit)): one for one in jobs}.values():
            if isinstance(job.unit, GameUnit):
                self._games.pool(job.unit, job.work)
            elif isinstance(job.work.settings, SearchSettings):
                self._searches.pool(job.work, job.work.settings)

    async def play(self, job: Job, recorded: Recorded, store: Store, life: int) -> Record:
        """One unit, start to end, on whatever actor is free."""
        if isinstance(job.unit, GameUnit):
            return await self._games.play(job.unit, job.work, recorded, store, life)
        return await self._searches.play(job.unit, job.work, recorded, life)

    async def close(self) -> None:
        """Close the desk; the actors end with the cluster."""
        with suppress(Lost):
            await self._desk.call(Desk.close, None)


def seat(unit: Unit) -> tuple[str, str]:
    """Units of one kind and one model are played by the same actors."""
    return unit.kind, unit.speaker if isinstance(unit, GameUnit) else unit.model
