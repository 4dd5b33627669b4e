"""What many tests need: the command line on a folder of the test's own, and a container engine."""

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pytest

from actors.errors import BadInput
from pipelines.cli import main
from pipelines.config import settings
from solvers.containers.engine import Engine

TIMES = {"finished_at", "seconds", "latency", "started_at"}


@dataclass(frozen=True)
class Bench:
    """A place to run experiments in, without Ray unless a test says otherwise."""

    outputs: Path

    def overrides(self, *more: str) -> list[str]:
        return ["cluster=inprocess", f"outputs={self.outputs}", *more]

    def run(self, *more: str) -> int:
        return main(["run", *self.overrides(*more)])

    def folder(self, *more: str) -> Path:
        return settings(self.overrides(*more)).folder

    def table(self, name: str, *more: str) -> pd.DataFrame:
        return pd.read_parquet(self.folder(*more) / "tables" / f"{name}.parquet")

    def writers(self) -> list[Path]:
        return sorted(path for path in (self.outputs / "store").iterdir() if path.is_dir())

    def played(self, writer: Path) -> list[str]:
        """The units that one driver finished."""
        return [
            line.split('"')[1] for line in (writer / "index.jsonl").read_text().splitlines() if "restarted" not in line
        ]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path / "outputs")


@pytest.fixture
def another(tmp_path: Path) -> Bench:
    return Bench(tmp_path / "another")


@pytest.fixture
def refusal(capsys: pytest.CaptureFixture[str]) -> Callable[[Sequence[str]], str]:
    """Run a command that must be refused: exit code 2 and one line on stderr, which is returned."""

    def refused(arguments: Sequence[str]) -> str:
        capsys.readouterr()
        assert main(arguments) == 2
        said = capsys.readouterr().err
        assert said.startswith("heuresis: ")
        assert said.count("\n") == 1
        return said

    return refused


@pytest.fixture
def papers_copy(tmp_path: Path) -> Path:
    """The shipped papers and surveys in a folder that a test may spoil."""
    for name in ("papers", "surveys"):
        shutil.copytree(Path("datasets") / name, tmp_path / name)
    return tmp_path


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whatever asks for the engine is an engine test."""
    for item in items:
        if "engine" in getattr(item, "fixturenames", ()):
            item.add_marker("engine")


@pytest.fixture(scope="session")
def engine() -> Iterator[Engine]:
    """The engine of this machine: skipped where none answers, failed where HEURESIS_REQUIRE_ENGINE is set."""
    try:
        with Engine.connect() as connected:
            yield connected
    except BadInput as error:
        if os.environ.get("HEURESIS_REQUIRE_ENGINE"):
            pytest.fail(str(error))
        pytest.skip(str(error))


def but_times(table: pd.DataFrame) -> pd.DataFrame:
    """A table without the columns that say when and how long."""
    return table.drop(columns=[name for name in table.columns if name in TIMES])
