"""What a run is made of: its papers, its units, its folder. Nothing is played here, nothing slow is imported."""

import hashlib
import importlib.metadata
import json
import os
import platform
import shlex
import socket
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from sys import intern
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import yaml

from actors.errors import BadInput
from actors.gateway import Corpus
from actors.paper import Paper, read_papers
from actors.row import parse
from actors.scripted.world import build_worlds
from actors.survey import Condition, Survey, read_survey
from pipelines.settings import ROOT, Settings
from pipelines.unit import Unit, games, judgings, picked_papers, scripted

VERSIONS = "heuresis ray litellm pydantic numpy pandas pyarrow hydra-core statsmodels xllamacpp".split()


@dataclass(frozen=True)
class Work:
    """One run, ready to be played."""

    settings: Settings
    corpus: Corpus
    units: list[Unit]

    @property
    def folder(self) -> Path:
        """The run's own folder."""
        return self.settings.folder

    @property
    def tables(self) -> Path:
        """Where its tables go."""
        return self.folder / "tables"


def plan(settings: Settings) -> Work:
    """Expand a run into its units; BadInput if a paper, a survey or a selection is wrong."""
    work = from_runs(settings) if settings.experiment == "judge" else from_papers(settings)
    check_selection(settings, work.units)
    check_folder(settings)
    if any(scripted(settings.models[name]) for name in settings.seated):
        build_worlds(work.corpus.papers.values(), work.corpus.surveys, work.corpus.seed)  # refuses what it cannot play
    return work


def from_papers(settings: Settings) -> Work:
    """The games of the config, each followed by its judgings."""
    papers = picked_papers(settings, read_papers(settings.papers_folder))
    surveys = read_surveys(settings, papers, settings.condition)
    units = games(settings, papers, surveys)
    if settings.judging:
        units = [unit for game, own in judgings(settings, units, surveys, settings.seed) for unit in (game, *own)]
    return Work(settings, Corpus({paper.id: paper for paper in papers}, surveys, settings.seed), units)


def read_surveys(settings: Settings, papers: list[Paper], conditions: Iterable[Condition]) -> dict[str, Survey]:
    """The surveys that the run needs: for a condition that shows one, or for a scripted world."""
    worlds = any(scripted(settings.models[name]) for name in settings.seated)
    if not worlds and set(conditions) <= {Condition.NONE}:
        return {}
    paths = {paper.id: settings.surveys_folder / f"{paper.id}.json" for paper in papers}
    for name, path in paths.items():
        if not path.exists():
            why = "scripted players need one" if worlds else "condition= asks for one"
            raise BadInput(f"{path}: no survey of paper '{name}', and {why}; see datasets/papers/README.md")
    return {name: read_survey(path) for name, path in paths.items()}


def from_runs(settings: Settings) -> Work:
    """The games of earlier runs, judged by this run's panel on the papers that were played."""
    if not settings.from_:
        raise BadInput("from: names no run; give the folders that runs printed: 'from=[RUN_DIR, ...]'")
    units: dict[str, Unit] = {}
    papers: dict[str, Paper] = {}
    surveys: dict[str, Survey] = {}
    seeds = set()
    for folder in settings.from_:
        source = read_settings(folder)
        if source.experiment == "judge":
            runs = ", ".join(map(str, source.from_))
            raise BadInput(f"{folder}: is a judge run itself; name the runs that played the games: 'from=[{runs}]'")
        if source.store != settings.store:
            raise BadInput(f"{folder}: its games are in another store; add store={source.store}")
        played = stored_games(folder)
        found, known = unchanged(folder, source, settings, {unit.paper for unit in played})
        for name, paper in found.items():
            if papers.setdefault(name, paper).sha256 != paper.sha256:
                raise BadInput(f"{folder}: paper '{name}' is another one than in the runs before it; judge them apart")
        surveys |= known
        seeds.add(source.seed)
        for game, own in judgings(settings, played, known, source.seed):
            units |= {unit.id: unit for unit in (game, *own)}
    if surveys and len(seeds) > 1:
        raise BadInput("from: the runs have different seeds, so their scripted worlds differ; judge them apart")
    return Work(settings, Corpus(papers, surveys, min(seeds)), list(units.values()))


def unchanged(
    folder: Path, source: Settings, settings: Settings, wanted: set[str]
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


def stored_games(folder: Path) -> list[Unit]:
    """The games that a run's tables name."""
    path = folder / "tables" / "units.parquet"
    if not path.exists():
        raise BadInput(f"{folder}: holds no run (no tables/units.parquet); name the folder that a run printed")
    fields = ("unit", "kind", "paper", "model", "condition", "replicate", "questions", "contaminated", "truncated")
    try:
        table = pq.read_table(path, columns=list(fields), filters=[("kind", "=", "game")])
        rows = zip(*(table[name].to_pylist() for name in fields), strict=True)
        return [
            Unit(intern(unit), kind, paper, model, Condition(condition), *facts)
            for unit, kind, paper, model, condition, *facts in rows
        ]
    except (OSError, ValueError, pa.ArrowException):
        raise BadInput(f"{path}: is damaged; run the command that made it again") from None


def read_settings(folder: Path) -> Settings:
    """The settings of an earlier run."""
    path = folder / "config.yaml"
    if not path.exists():
        raise BadInput(f"{folder}: holds no run (no config.yaml); name the folder that a run printed")
    try:
        read = yaml.load(path.read_text(), Loader=yaml.CSafeLoader)
    except (yaml.YAMLError, ValueError):
        raise BadInput(f"{path}: is damaged; run the command that made it again") from None
    return parse(Settings, read, str(path))


def check_selection(settings: Settings, units: list[Unit]) -> None:
    """BadInput where ``only.*`` names something that the run does not have."""
    for field in ("paper", "model", "replicate", "condition"):
        has = {getattr(unit, field) for unit in units}
        for value in getattr(settings.only, field) or ():
            if value not in has:
                listed = ", ".join(sorted(str(one) for one in has))
                raise BadInput(f"only.{field}={value}: the run has no such {field} (it has {listed})")


def check_folder(settings: Settings) -> None:
    """BadInput where the run's folder is the store's, or holds another run."""
    folder = settings.folder.resolve()
    if folder == settings.store or settings.store in folder.parents:
        raise BadInput(f"run.dir={folder}: is inside the store; give another folder")
    try:
        holds = json.loads((folder / "manifest.json").read_text())["run"]
    except (OSError, ValueError, TypeError, KeyError):
        return
    if holds != settings.digest:
        raise BadInput(f"{folder}: holds another run ({holds}); give another run.dir=, or move it away")


def prepare_folder(work: Work) -> None:
    """Make the run's folder, with its config and its manifest."""
    try:
        work.tables.mkdir(parents=True, exist_ok=True)
        config = work.settings.model_dump(mode="json", by_alias=True)
        text = yaml.safe_dump(config, sort_keys=False, allow_unicode=True)
        replace_text(work.folder / "config.yaml", text)
        replace_text(work.folder / "manifest.json", json.dumps(manifest(work), indent=1) + "\n")
    except OSError as error:
        raise BadInput(
            f"{work.folder}: cannot be written ({error.strerror}); set outputs= or run.dir= to a folder that can"
        ) from None


def shown(path: Path) -> str:
    """A path as a person would type it here."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def replace_text(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    aside = path.with_name(f".{path.name}.{os.getpid()}")
    aside.write_text(text)
    aside.replace(path)


def manifest(work: Work) -> dict[str, Any]:
    """What this run was made with."""
    return {
        "command": shlex.join(sys.argv),
        "experiment": work.settings.experiment,
        "run": work.settings.digest,
        "host": socket.gethostname(),
        "python": platform.python_version(),
        "versions": {name: importlib.metadata.version(name) for name in VERSIONS},
        "commit": commit(),
        "lock_sha256": hashlib.sha256((ROOT / "requirements.lock").read_bytes()).hexdigest(),
        "units": len(work.units),
        "papers": {name: paper.sha256 for name, paper in work.corpus.papers.items()},
        "surveys": {name: survey.sha256 for name, survey in work.corpus.surveys.items()},
    }


def commit() -> str | None:
    """The checkout's commit, with a plus if it was changed since; None outside a checkout."""
    command = ["git", "-C", str(ROOT), "describe", "--always", "--abbrev=40", "--dirty=+"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return None
    return done.stdout.strip() or None
