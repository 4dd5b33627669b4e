"""``heuresis run``: plan every job, play what is not finished, gather the tables, say what came of it."""

from pathlib import Path

import pyarrow.parquet as pq
from rich.console import Console

from actors.fault import BadInput
from pipelines.drive import Agenda, drive
from pipelines.gather import gather
from pipelines.plan import Work, plan, prepare_folder
from pipelines.progress import Meter
from pipelines.settings import Settings
from pipelines.store import Store


def run(jobs: list[Settings], console: Console) -> int:
    """Play jobs as one queue; returns the exit code: 0 done, 1 some units failed."""
    works = [plan(settings) for settings in jobs]
    shared(works)
    store = Store(works[0].settings.store)
    agenda = Agenda(works, store)
    for work in works:
        prepare_folder(work)
    todo = len(agenda)
    if todo:
        for work in works:
            gather(work.units, store, work.tables)  # so that status and reports find the run while it goes on
        total = sum(len(work.units) for work in works)
        console.print(f"{todo} of {total} units to play", highlight=False)
        with Meter(console, todo) as meter:
            drive(works, store, agenda, meter)
    else:
        console.print("nothing to play: every unit is finished", highlight=False)
    for work in works:
        if todo or stale(work, store):
            gather(work.units, store, work.tables)
    return 1 if any(failures(work, store) for work in works) else 0


def shared(works: list[Work]) -> None:
    """The jobs of a sweep are one queue: they cannot stand on several clusters or in several stores."""
    for field in ("store", "cluster"):
        values = [getattr(work.settings, field) for work in works]
        if any(value != values[0] for value in values):
            raise BadInput(f"-m: {field} must be the same in all jobs of a sweep; run them apart")


def failures(work: Work, store: Store) -> int:
    """Units that ended in an error, among those that this command was about."""
    entries = (store.finished(unit.id) for unit in work.units if unit.chosen(work.settings.only))
    return sum(entry is not None and entry.status == "error" for entry in entries)


def stale(work: Work, store: Store) -> bool:
    """Whether the tables miss something that the store has."""
    path: Path = work.tables / "units.parquet"
    if not path.exists():
        return True
    if pq.read_table(path, columns=["unit"])["unit"].to_pylist() != [unit.id for unit in work.units]:
        return True
    written = path.stat().st_mtime
    return any((entry := store.finished(unit.id)) and entry.finished_at > written for unit in work.units)
