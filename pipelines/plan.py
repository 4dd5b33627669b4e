"""From settings to a run that can be played: its papers or its task, its units. Nothing slow is imported."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from sys import intern

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from actors.errors import BadInput
from actors.gateway import Corpus
from actors.paper import Paper, read_papers
from actors.scripted.world import build_worlds
from actors.survey import Condition, Survey, read_survey
from pipelines.family import AnySettings
from pipelines.game_settings import GameSettings
from pipelines.game_unit import GameUnit, scripted
from pipelines.played_units import Corpora, games, picked_papers, pooled, probes
from pipelines.reading_units import Reader, with_readings
from pipelines.search_plan import from_task
from pipelines.search_settings import SearchSettings
from pipelines.settings import Only
from pipelines.unit import Unit
from pipelines.work import Work as Work
from pipelines.work import check_folder, read_settings

STORED = (
    *("kind", "paper", "model", "replicate", "questions", "contaminated", "truncated"),
    *("source", "side", "cut", "continuation", "selection"),
)


def plan(settings: AnySettings, alone: bool = True) -> Work:
    """Expand a run into its units; BadInput if a paper, a survey, a task or a selection is wrong.

    alone: no other run of the command may have what ``only.*`` names and this one does not.
    """
    if isinstance(settings, SearchSettings):
        work = from_task(settings)
    else:
        work = from_runs(settings) if settings.experiment == "judge" else from_papers(settings)
    if alone:
        check_selection(settings.only, work.units)
    check_folder(settings)
    if work.task is None and any(scripted(settings.models[name]) for name in settings.seated):
        build_worlds(work.corpus.papers.values(), work.corpus.surveys, work.corpus.seed)  # refuses what it cannot play
    return work


def from_papers(settings: GameSettings) -> Work:
    """What the experiment plays, each followed by what is read out of it."""
    papers = picked_papers(settings, read_papers(settings.papers_folder))
    surveys = read_surveys(settings, papers, settings.condition)
    corpora = Corpora(papers, surveys)
    played: list[GameUnit] = [] if settings.experiment == "probe" else list(games(settings, corpora))
    if settings.pool:
        played += pooled(settings, corpora)
    if settings.probe:
        played += probes(settings, corpora)
    named = {paper.id: paper for paper in papers}
    units = with_readings(settings, played, Reader(settings, named, surveys, settings.seed))
    return Work(settings, Corpus(named, surveys, settings.seed), units)


def read_surveys(settings: GameSettings, papers: list[Paper], conditions: Iterable[Condition]) -> dict[str, Survey]:
    """The surveys that the run needs: for a condition that shows one, or for a scripted world."""
    worlds = any(scripted(settings.models[name]) for name in settings.seated)
    if not worlds and set(conditions) <= {Condition.NONE} and settings.experiment != "mentions":
        return {}
    paths = {paper.id: settings.surveys_folder / f"{paper.id}.json" for paper in papers}
    for name, path in paths.items():
        if not path.exists():
            why = "scripted players need one" if worlds else "this run asks for one"
            raise BadInput(f"{path}: no survey of paper '{name}', and {why}; see datasets/papers/README.md")
    return {name: read_survey(path) for name, path in paths.items()}


def from_runs(settings: GameSettings) -> Work:
    """The games of earlier runs, judged by this run's panel on the papers that were played."""
    if not settings.from_:
        raise BadInput("from: names no run; give the folders that runs printed: 'from=[RUN_DIR, ...]'")
    units: dict[str, GameUnit] = {}
    papers: dict[str, Paper] = {}
    surveys: dict[str, Survey] = {}
    seeds = set()
    for folder in settings.from_:
        if (folder / "study.json").exists():
            raise BadInput(f"{folder}: is a study of several runs; name those of them whose games are to be judged")
        source = read_settings(folder)
        if isinstance(source, SearchSettings):
            raise BadInput(f"{folder}: is an idea search, it has no games; name runs of experiment=game")
        if source.experiment == "judge":
            runs = ", ".join(map(str, source.from_))
            raise BadInput(f"{folder}: is a judge run itself; name the runs that played the games: 'from=[{runs}]'")
        if source.store != settings.store:
            raise BadInput(f"{folder}: its games are in another store; add store={source.store}")
        played = stored_games(folder)
        if not played:
            raise BadInput(f"{folder}: has no games to judge; name runs that played some")
        found, known = unchanged(folder, source, settings, {unit.paper for unit in played})
        for name, paper in found.items():
            if papers.setdefault(name, paper).sha256 != paper.sha256:
                raise BadInput(f"{folder}: paper '{name}' is another one than in the runs before it; judge them apart")
        surveys |= known
        seeds.add(source.seed)
        units |= {
            unit.id: unit for unit in with_readings(settings, played, Reader(settings, found, known, source.seed))
        }
    if surveys and len(seeds) > 1:
        raise BadInput("from: the runs have different seeds, so their scripted worlds differ; judge them apart")
    return Work(settings, Corpus(papers, surveys, min(seeds)), list(units.values()))


def unchanged(
    folder: Path, source: GameSettings, settings: GameSettings, wanted: set[str]
) -> tuple[dict[str, Paper], dict[str, Survey]]:
    """The papers that a run played, and the surveys that the judges need; BadInput where one is not as it was."""
    path = folder / "manifest.json"
    if not path.exists():
        raise BadInput(f"{folder}: has no manifest.json, so its papers cannot be checked; run its command again")
    try:
        made = json.loads(path.read_text())
        played_papers, played_surveys = dict(made["papers"]), dict(made["surveys"])
    except (ValueError, TypeError, KeyError):
        raise BadInput(f"{path}: is damaged; run the command that made it again") from None
    papers = {name: paper for name, paper in read_papers(source.papers_folder).items() if name in wanted}
    for name in sorted(wanted):
        if name not in papers:
            raise BadInput(f"{folder}: paper '{name}' is no longer among the papers; restore it")
        if played_papers.get(name) != papers[name].sha256:
            raise BadInput(f"{folder}: paper '{name}' was changed since it was played; restore it or play it again")
    places = {"papers_dir": source.papers_dir, "surveys_dir": source.surveys_dir}
    surveys = read_surveys(settings.model_copy(update=places), list(papers.values()), ())
    for name, survey in surveys.items():
        if played_surveys.get(name, survey.sha256) != survey.sha256:
            raise BadInput(f"{folder}: the survey of '{name}' was changed since it was played; restore it")
    return papers, surveys


def stored_games(folder: Path) -> list[GameUnit]:
    """The games that a run's tables name."""
    path = folder / "tables" / "units.parquet"
    if not path.exists():
        raise BadInput(f"{folder}: holds no run (no tables/units.parquet); name the folder that a run printed")
    try:
        kinds = pc.field("kind").isin(["game", "fork", "pool"])
        rows = pq.read_table(path, columns=["unit", "condition", *STORED], filters=kinds).to_pylist()
        return [GameUnit(id=intern(row.pop("unit")), condition=Condition(row.pop("condition")), **row) for row in rows]
    except (OSError, ValueError, pa.ArrowException):
        raise BadInput(f"{path}: is damaged; run the command that made it again") from None


def check_selection(only: Only, units: Sequence[Unit]) -> None:
    """BadInput where ``only.*`` names something that the run does not have."""
    for field in Only.model_fields:
        has = {unit.choices()[field] for unit in units if field in unit.choices()} if getattr(only, field) else ()
        for value in getattr(only, field) or ():
            if value not in has:
                listed = ", ".join(sorted(str(one) for one in has)) or "none"
                raise BadInput(f"only.{field}={value}: the run has no such {field} (it has {listed})")
