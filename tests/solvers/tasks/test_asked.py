"""What a verifier asks a profile for is found in its sources, and a profile without it is refused before any image."""

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from actors.errors import BadInput
from solvers.tasks.asked import asked
from solvers.tasks.task import SHIPPED, Task, read_task

VERIFIER = r"""
// parameter("commented")
/* parameter("too");
   parameter("and_here") */
static const char *text = "parameter(\"quoted\")", quote = '"'; /* " */
uint64_t n = parameter("n"), d = parameter ( "d_2" ), again = parameter("n"), other = my_parameter("other");
"""


def test_calls_are_found_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "verifier.c").write_text(VERIFIER)
    (tmp_path / "a.h").write_text('#define WIDTH parameter("width")')
    (tmp_path / "notes.md").write_text('parameter("prose")')
    found = {name: path.name for name, path in asked(tmp_path).items()}
    assert found == {"width": "a.h", "n": "verifier.c", "d_2": "verifier.c"}


@pytest.mark.parametrize(("task", "names"), [("radix_sort", {"n"}), ("flash_attention", {"n", "d"})])
def test_what_the_shipped_ones_ask_for(task: str, names: set[str]) -> None:
    assert set(asked(SHIPPED / task / "tests")) == names


@pytest.fixture
def lacking(toy: Task, tmp_path: Path) -> Path:
    """The toy, whose profile `small` has its parameter by another name."""
    folder = tmp_path / "twice"
    shutil.copytree(toy.folder, folder)
    text = (folder / "task.toml").read_text()
    assert "n = 500000" in text
    (folder / "task.toml").write_text(text.replace("n = 500000", "size = 500000"))
    return folder


def test_the_chosen_profile_is_what_counts(lacking: Path) -> None:
    task = read_task(lacking)
    assert task.profile("tiny").parameters
    with pytest.raises(BadInput, match="'n'"):
        task.profile("small")


@pytest.mark.parametrize(
    "words",
    [
        ["task", "check", "FOLDER", "--profile", "small"],
        ["task", "calibrate", "FOLDER", "--profile", "small"],
        ["task", "score", "FOLDER", "FOLDER/solution", "--profile", "small"],
        ["run", "experiment=idea_search", "task=FOLDER", "task.profile=small", "cast=scripted", "solver=catalog"],
    ],
)
def test_every_command_names_the_parameter_the_profile_and_the_file(
    refusal: Callable[[Sequence[str]], str], lacking: Path, tmp_path: Path, words: list[str]
) -> None:
    place = f"outputs={tmp_path}" if words[0] == "run" else f"--outputs={tmp_path}"
    said = refusal([*(word.replace("FOLDER", str(lacking)) for word in words), place])
    asks = f"{lacking}/tests/verifier.c: asks for the parameter 'n'"
    assert said.startswith(
        f"heuresis: {asks}, which [measure.profile.small] in {lacking}/task.toml lacks (it has: size)"
    )
