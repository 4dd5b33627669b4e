"""The page that says how to write a task: its files, taken out as it says, are a task that passes its check."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from solvers.containers.engine import Engine
from solvers.measuring.check import check
from solvers.measuring.cores import Cores
from solvers.measuring.evaluator import Evaluator, said_nothing
from solvers.measuring.measurements import Measurements
from solvers.tasks.catalog import Catalog
from solvers.tasks.task import Task, read_task

PAGE = Path(__file__).resolve().parents[3] / "docs" / "write_a_task.md"


@pytest.fixture
def written(tmp_path: Path) -> Task:
    """By the page's own line."""
    text = PAGE.read_text()
    line = re.search(r"python3 -c '(.*?)'\n", text, re.S)
    assert line is not None
    program = line[1].replace("\n    ", "\n")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / PAGE.name).write_text(text)
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=True)
    return read_task(tmp_path / "count_ones")


def test_every_file_of_the_page_is_taken_out(written: Task) -> None:
    files = {path.relative_to(written.folder).as_posix() for path in written.folder.rglob("*") if path.is_file()}
    assert files == {
        *("task.toml", "instruction.md", "brief.md", "solution/count_ones.c", "tests/verifier.c", "tests/shim.c"),
        *("environment/Dockerfile", "environment/count_ones.c", "environment/count_ones.h"),
        *(f"tests/broken/{name}.c" for name in ("tail_left_out", "sampled", "narrow_sum")),
        *("catalog/catalog.toml", "catalog/count_ones.c.j2"),
    }
    assert (written.folder / "instruction.md").read_text().count("```") == 2, "a fence in a fence is not its end"
    assert list(Catalog(written.catalog).techniques) == ["table", "neighbours", "instruction", "lanes"]


def test_it_passes_its_check(engine: Engine, cores: Cores, written: Task, tmp_path: Path) -> None:
    with Evaluator(engine, written, "small", cores) as evaluator:
        found = list(check(written, evaluator, engine, Measurements(tmp_path / "kept"), False, said_nothing))
    assert [finding for finding in found if not finding.ok] == []
    assert [finding.name for finding in found] == [
        *("images", "anchors"),
        *(f"broken variant {name}.c" for name in ("narrow_sum", "sampled", "tail_left_out")),
        *("catalogue", "leaks"),
    ]
