"""What is to be played, in order: each unit with the run that wants it, a judging after its game."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from actors.errors import ErrorKind
from actors.record import Record
from actors.recorded import Recorded
from pipelines.claims import Claims
from pipelines.entry import Entry
from pipelines.game_unit import PLAYED
from pipelines.growth import grown
from pipelines.store import Store
from pipelines.unit import Unit
from pipelines.work import Work


@dataclass(frozen=True, slots=True)
class Job:
    """A unit to play. seen: when its last try had ended when the agenda was made; later ones are other drivers'."""

    unit: Unit
    work: Work
    forced: bool
    seen: float

    def lost(self, parent: Entry | None, recorded: Recorded, why: str) -> Record:
        """The record of a unit whose actors kept dying: an error, with what was paid kept for another try."""
        return Record(
            unit=self.unit.id,
            parent=self.unit.parent,
            parent_digest=parent.digest if parent else None,
            status="error",
            error_kind=ErrorKind.LOST,
            error=why,
            round=recorded.round,
            rows={},
            calls=list(recorded.calls),
            facts=list(recorded.facts),
        )


class Agenda:
    """The jobs that are ready, those that wait for their parent, and those that another driver plays."""

    def __init__(self, works: Iterable[Work], store: Store) -> None:
        self.works: Sequence[Work] = tuple(works)
        self._store = store
        self._ready: deque[Job] = deque()
        self._waiting: dict[str, list[Job]] = {}
        self._elsewhere: dict[str, Job] = {}
        self._seen: set[str] = set()
        self._enter_new()
        self.grow()

    def grow(self) -> list[Job]:
        """Enter the units that are known by now and were not before; what of them is to be played."""
        had = set(self.units())
        self.works = grown(self.works, self._store, had)
        self._enter_new()
        return [job for job in self.jobs() if job.unit.id not in had]

    def _enter_new(self) -> None:
        for work in self.works:
            for unit in work.units:
                if unit.id not in self._seen and unit.chosen(work.settings.only):
                    self._seen.add(unit.id)
                    self._enter(unit, work)

    def _enter(self, unit: Unit, work: Work) -> None:
        entry = self._store.finished(unit.id)
        # A judge run takes games as they are: it forces ratings, not games.
        given = unit.kind in PLAYED and work.settings.experiment == "judge"
        job = Job(unit, work, work.settings.force and not given, entry.finished_at if entry else 0.0)
        if given or (entry and entry.status == "ok" and not job.forced):
            return
        parent = self._store.finished(unit.parent) if unit.parent else None
        if unit.parent in self._waiting:
            self._waiting[unit.parent].append(job)
        elif unit.parent is None or (parent and parent.status == "ok"):
            self._ready.append(job)
        else:
            return
        self._waiting[unit.id] = []  # what is made from it

    def __len__(self) -> int:
        return len(self._ready) + len(self._elsewhere) + sum(map(len, self._waiting.values()))

    @property
    def elsewhere(self) -> int:
        """How many jobs another driver plays."""
        return len(self._elsewhere)

    def jobs(self) -> Iterator[Job]:
        """All that is on it."""
        yield from self._ready
        yield from self._elsewhere.values()
        for waiting in self._waiting.values():
            yield from waiting

    def units(self) -> list[str]:
        """The ids of all that is on it."""
        return [job.unit.id for job in self.jobs()]

    def take(self, count: int, claims: Claims) -> tuple[list[Job], list[Entry]]:
        """Up to ``count`` jobs that are ours to play now, and how others ended jobs of ours in the meantime."""
        ours: list[Job] = []
        ended: list[Entry] = []
        while self._ready and len(ours) < count:
            jobs = [self._ready.popleft() for _ in range(min(count - len(ours), len(self._ready)))]
            self._sort(jobs, claims, ours, ended)
        return ours, ended

    def look(self, count: int, claims: Claims) -> tuple[list[Job], list[Entry]]:
        """The same for jobs that another driver plays: it may have ended them, or have died."""
        jobs, self._elsewhere = list(self._elsewhere.values()), {}
        ours: list[Job] = []
        ended: list[Entry] = []
        self._sort(jobs, claims, ours, ended)
        self._ready.extendleft(reversed(ours[count:]))
        return ours[:count], ended

    def _sort(self, jobs: list[Job], claims: Claims, ours: list[Job], ended: list[Entry]) -> None:
        mine = set(claims.take([job.unit.id for job in jobs]))
        for job in jobs:
            entry = self._store.finished(job.unit.id)
            if entry and entry.finished_at > job.seen:
                ended.append(entry)
                self.ended(entry.unit, entry.status)
            elif job.unit.id in mine:
                ours.append(job)
            else:
                self._elsewhere[job.unit.id] = job

    def ended(self, unit: str, status: str) -> None:
        """A unit has ended: what waited for it comes up next, or stays open if it failed."""
        waiting = self._waiting.pop(unit, [])
        if status == "ok":
            self._ready.extendleft(reversed(waiting))
