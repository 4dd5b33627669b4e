"""The units of a search run, once everything that can be checked before it begins was checked."""

from collections.abc import Iterable

from actors.errors import BadInput
from actors.gateway import Corpus
from pipelines.search_settings import SearchSettings
from pipelines.search_unit import searches
from pipelines.work import Work
from solvers.brief import brief_of
from solvers.measuring.cores import Cores
from solvers.tasks.catalog import Catalog
from solvers.tasks.packed import pack
from solvers.tasks.task import FULL, Task, Trust


def from_task(settings: SearchSettings) -> Work:
    """The searches of the config; BadInput where task, budget and solver do not go together."""
    task = settings.read_task()
    assert settings.shares.each  # or a BadInput
    check_task(task, settings)
    return Work(settings, Corpus({}, {}, settings.seed), searches(settings), pack(task))


def check_task(task: Task, settings: SearchSettings) -> None:
    """BadInput where the task has no such size, nothing for the solver, or needs what no branch can have."""
    gpus, kind, profile = task.description.environment.gpus, settings.solver.kind, settings.task.profile
    if gpus:
        raise BadInput(f"{task.folder}/task.toml: asks for gpus = {gpus}, which no branch has yet; choose another")
    if task.trust is Trust.HARNESS:
        task.profile(profile)
    elif profile != FULL:
        raise BadInput(f"task.profile={profile}: {task.folder} has one size alone, since it has no [measure]; drop it")
    if kind == "catalog" and task.trust is Trust.FOREIGN:
        raise BadInput(f"solver=catalog: {task.folder} has a verifier of its own; choose solver=llm or command")
    if kind == "catalog" and not (task.catalog / "catalog.toml").is_file():
        raise BadInput(f"solver=catalog: {task.folder} has no catalog/; write one (docs/tasks.md), or set solver=llm")
    brief_of(task, background=True, techniques=kind == "catalog")  # refuses what cannot be read
    if kind == "catalog":
        catalog = Catalog(task.catalog)  # refuses what it cannot render
        for name in catalog.techniques:
            catalog.render(catalog.combined([name])[0])


def stand_aside(works: Iterable[Work]) -> None:
    """Before searches, this process and all it starts, Ray's own among them, leave the cores that are timed on."""
    if any(isinstance(work.settings, SearchSettings) for work in works):
        Cores().keep_off()
