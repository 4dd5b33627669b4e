"""A run that is ready to be played, and the folder that it has on disk."""

import hashlib
import importlib.metadata
import json
import os
import platform
import shlex
import socket
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from actors.errors import BadInput
from actors.gateway import Corpus
from pipelines.family import AnySettings, read
from pipelines.game_settings import GameSettings
from pipelines.search_settings import SearchSettings
from pipelines.settings import ROOT
from pipelines.unit import Unit
from solvers.tasks.packed import PackedTask

STUDY = "study.json"  # in the folder of several runs that were made at once: where each is
VERSIONS = "heuresis ray litellm pydantic numpy pandas pyarrow hydra-core statsmodels xllamacpp docker jinja2".split()


@dataclass(frozen=True)
class Work:
    """One run, ready to be played."""

    settings: AnySettings
    corpus: Corpus
    units: Sequence[Unit]
    task: PackedTask | None = None
    """Of a search."""

    @property
    def game(self) -> GameSettings:
        """The settings of a run of the game."""
        assert isinstance(self.settings, GameSettings)
        return self.settings

    @property
    def folder(self) -> Path:
        """The run's own folder."""
        return self.settings.folder

    @property
    def tables(self) -> Path:
        """Where its tables go."""
        return self.folder / "tables"


def read_settings(folder: Path) -> AnySettings:
    """The settings of an earlier run."""
    path = folder / "config.yaml"
    if not path.exists():
        raise BadInput(f"{folder}: holds no run (no config.yaml); name the folder that a run printed")
    try:
        found = yaml.load(path.read_text(), Loader=yaml.CSafeLoader)
    except (yaml.YAMLError, ValueError):
        raise BadInput(f"{path}: is damaged; run the command that made it again") from None
    return read(found, str(path))


def check_folder(settings: AnySettings) -> None:
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
        **content(work),
    }


def content(work: Work) -> dict[str, Any]:
    """What it was played on, as it was then."""
    if isinstance(work.settings, SearchSettings):
        task = work.settings.read_task()
        said = {"folder": str(task.folder), "digest": task.digest(), "contents": work.settings.task.digest}
        return {"task": {"name": task.name, **said}}
    return {
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


def runs_of(folder: Path) -> list[Path]:
    """The runs of a study's folder; a run's own folder stands for itself."""
    if not (folder / STUDY).exists():
        return [folder]
    try:
        return [Path(run) for run in json.loads((folder / STUDY).read_text()).values()]
    except (ValueError, AttributeError, TypeError):
        raise BadInput(f"{folder / STUDY}: is damaged; run the command that made it again") from None
