"""``heuresis run``: play what is not finished, gather the tables, say what came of it."""

from rich.console import Console

from actors.errors import BadInput
from pipelines.fan_out import Agenda, drive
from pipelines.gather import gather, stale
from pipelines.plan import Work, prepare_folder
from pipelines.progress import Meter
from pipelines.store import Store


def run(works: list[Work], console: Console) -> int:
    """Play runs as one queue; returns the exit code: 0 done, 1 some units failed or could not be played."""
    check_together(works)
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
        store = Store(store.folder)  # with what other drivers finished in the meantime
    else:
        console.print("nothing to play", highlight=False)
    for work in works:
        if stale(work.units, store, work.tables):
            gather(work.units, store, work.tables)
    return say_open(works, store, console)


def check_together(works: list[Work]) -> None:
    """The jobs of a sweep are one queue, each with a folder of its own."""
    for field in ("store", "cluster"):
        if any(getattr(work.settings, field) != getattr(works[0].settings, field) for work in works):
            raise BadInput(f"-m: {field} must be the same in all jobs of a sweep; run them apart")
    folders = [work.folder for work in works]
    for folder in folders:
        if folders.count(folder) > 1:
            raise BadInput(f"-m: two jobs are the same run, or share {folder}; drop run.dir= or the repeated value")


def say_open(works: list[Work], store: Store, console: Console) -> int:
    """1 if a unit that these runs should have played is not there, else 0. A judge run's games are not its own."""
    code = 0
    for work in works:
        given = work.settings.experiment == "judge"
        ours = [unit for unit in work.units if unit.chosen(work.settings.only) and not (given and unit.kind == "game")]
        left = [unit for unit in ours if not ((entry := store.finished(unit.id)) and entry.status == "ok")]
        waiting = sum(not ((game := store.finished(unit.game)) and game.status == "ok") for unit in left if unit.game)
        if waiting:
            console.print(f"{waiting} judgings wait for games that are not finished", highlight=False)
        code = 1 if left else code
    return code
