"""``heuresis run``: play what is not finished, gather the tables, say what came of it."""

from collections.abc import Sequence
from operator import attrgetter

from rich.console import Console

from actors.errors import BadInput
from pipelines.agenda import Agenda
from pipelines.driver import INTERRUPTED, Course, drive
from pipelines.game_unit import PLAYED
from pipelines.gather import gather, outline, stale
from pipelines.growth import unsettled
from pipelines.progress import Meter
from pipelines.store import Store
from pipelines.work import Work, prepare_folder


def run(works: list[Work], console: Console) -> int:
    """Play runs as one queue; returns the exit code, as `heuresis run --help` lists them."""
    check_together(works)
    store = Store(works[0].settings.store)
    agenda, course = Agenda(works, store), Course()
    store.prepare()
    for work in works:
        prepare_folder(work)
    todo = len(agenda)
    if todo:
        for work in agenda.works:
            outline(work.units, store, work.tables)
        total = sum(len(work.units) for work in agenda.works)
        console.print(f"{todo} of {total} units to play", highlight=False)
        with Meter(console, todo) as meter:
            course = drive(works, store, agenda, meter)
        store.refresh()  # what other drivers finished in the meantime
    else:
        console.print("nothing to play", highlight=False)
    for work in agenda.works:
        if stale(work.units, store, work.tables):
            gather(work.units, store, work.tables)
    return max(say_open(agenda.works, store, console), say_stopped(course, console))


def check_together(works: list[Work]) -> None:
    """The jobs of a sweep are one queue, each with a folder of its own."""
    for field in ("store", "cluster", "budget.caps", "fail_over"):
        of = attrgetter(field)
        if any(of(work.settings) != of(works[0].settings) for work in works):
            raise BadInput(f"-m: {field.removesuffix('.caps')} must be the same in all jobs of a sweep; run them apart")
    folders = [work.folder for work in works]
    for folder in folders:
        if folders.count(folder) > 1:
            raise BadInput(f"-m: two jobs are the same run, or share {folder}; drop run.dir= or the repeated value")


def say_stopped(course: Course, console: Console) -> int:
    """Why a run stopped before its end, and how to go on: 130 interrupted, 3 a budget is spent, 1 too many failures."""
    if not course.stopped:
        return 0
    if course.stopped == INTERRUPTED:
        console.print("interrupted; what was paid for is kept, the same command goes on", highlight=False)
        return 130
    if course.stopped.startswith("budget."):
        console.print(f"{course.stopped} is spent; with more of it the same command goes on", highlight=False)
        return 3
    console.print(f"stopped: {course.stopped}; the same command goes on", highlight=False)
    return 1


def say_open(works: Sequence[Work], store: Store, console: Console) -> int:
    """1 if a unit that these runs should have played is not there, else 0. A judge run's games are not its own."""
    code = 0
    for work in works:
        given = work.settings.experiment == "judge"
        ours = [unit for unit in work.units if unit.chosen(work.settings.only) and not (given and unit.kind in PLAYED)]
        left = [unit for unit in ours if not ((entry := store.finished(unit.id)) and entry.status == "ok")]
        parents = [store.finished(unit.parent) for unit in left if unit.parent]
        if waiting := sum(not (parent and parent.status == "ok") for parent in parents):
            console.print(f"{waiting} units wait for games that are not finished", highlight=False)
        if waits := unsettled(work, store):
            why = "their forks wait for it" if waits > 1 else "its forks wait for it"
            console.print(f"{waits} pairs of paper and model lack a game or a rating; {why}", highlight=False)
        code = 1 if left else code
    return code
