"""`task check` on tasks that are not what they should be."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from actors.errors import BadInput
from solvers.containers.engine import Engine
from solvers.measuring.check import check
from solvers.measuring.cores import Cores
from solvers.measuring.evaluator import Evaluator, said_nothing
from solvers.measuring.measurements import Measurements
from solvers.tasks.task import Task, read_task

Check = Callable[[Path], dict[str, tuple[bool, str]]]
CATALOG = """
[[technique]]
id = "shift"
about = "a shift for a product"
[technique.parameters.by]
values = [1, 2]
default = 1
"""
TEMPLATE = """#include "twice.h"
void twice(uint64_t *x, size_t n) { for (size_t i = 0; i < n; i++) x[i] <<= {{ shift.by if shift else 1 }}; }
"""


@pytest.fixture
def folder(toy: Task, tmp_path: Path) -> Path:
    """A copy of the toy with a broken variant and a catalogue, whose second variant is wrong."""
    made = tmp_path / "twice"
    shutil.copytree(toy.folder, made)
    for name, text in {
        "tests/broken/nothing.c": '#include "twice.h"\nvoid twice(uint64_t *x, size_t n) {}\n',
        "catalog/catalog.toml": CATALOG.replace("[1, 2]", "[1]"),
        "catalog/twice.c.j2": TEMPLATE,
    }.items():
        (made / name).parent.mkdir(exist_ok=True)
        (made / name).write_text(text)
    return made


@pytest.fixture
def checked(engine: Engine, cores: Cores, tmp_path: Path) -> Check:
    def found(folder: Path) -> dict[str, tuple[bool, str]]:
        task = read_task(folder)
        with Evaluator(engine, task, "tiny", cores) as evaluator:
            findings = check(task, evaluator, engine, Measurements(tmp_path / "kept"), True, said_nothing)
            return {finding.name: (finding.ok, finding.found) for finding in findings}

    return found


def test_a_sound_task(checked: Check, folder: Path) -> None:
    found = checked(folder)
    assert [name for name, (ok, _) in found.items() if not ok] == []
    assert found["broken variant nothing.c"][1].startswith("wrong: edge case 1: a number was not doubled")
    assert found["catalogue"][1] == "2 combinations tried, 2 right, 2 faster than the baseline"
    assert "none of 4 files" in found["leaks"][1]


def test_what_is_unsound_is_found(checked: Check, folder: Path) -> None:
    (folder / "catalog/catalog.toml").write_text(CATALOG)  # a shift by 2 is not twice
    shutil.copy(folder / "solution/twice.c", folder / "tests/broken/right.c")
    shutil.copy(folder / "solution/twice.c", folder / "environment/hint.txt")
    (folder / "solution/twice.c").write_text((folder / "environment/twice.c").read_text())
    found = checked(folder)
    assert found["anchors"][0] is False
    assert found["broken variant right.c"] == (False, "right")
    assert found["catalogue"][0] is False
    tried, wrong = found["catalogue"][1].split("; ")
    assert tried.startswith("3 combinations tried, 2 right, ")
    assert wrong.startswith("1 not right: 'shift by=2' ended as wrong: edge case 1: a number was not doubled")
    assert "/app/hint.txt" in found["leaks"][1]


def test_a_broken_variant_that_does_not_compile_shows_nothing(checked: Check, folder: Path) -> None:
    (folder / "tests/broken/nothing.c").write_text("void twice(")
    assert checked(folder)["broken variant nothing.c"][0] is False


def test_nothing_to_reject_is_a_finding(checked: Check, folder: Path) -> None:
    shutil.rmtree(folder / "tests/broken")
    shutil.rmtree(folder / "catalog")
    found = checked(folder)
    assert found["broken variants"][0] is False
    assert found["catalogue"] == (True, "none")


def test_what_the_compiler_warns_of_is_no_part_of_a_catalogue(checked: Check, folder: Path) -> None:
    (folder / "catalog/twice.c.j2").write_text(TEMPLATE + "{% if shift %}\nstatic int unused;\n{% endif %}")
    ok, found = checked(folder)["catalogue"]
    assert ok is False
    assert found.startswith("2 combinations tried, 2 right, ")
    assert "1 built with warnings: 'shift by=1': " in found
    assert "unused" in found


def test_a_template_that_cannot_be_rendered_is_told_before_anything_is_measured(
    checked: Check, folder: Path, tmp_path: Path
) -> None:
    (folder / "catalog/twice.c.j2").write_text(TEMPLATE.replace("shift.by", "shift.width"))
    with pytest.raises(BadInput, match=r"twice\.c\.j2: cannot be rendered for 'shift by=1': .*width"):
        checked(folder)
    assert not (tmp_path / "kept").exists()
