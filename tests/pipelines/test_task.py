"""``heuresis task``: what is listed, scored, and refused."""

import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from executions import execution_row

from pipelines.cli import main
from solvers.containers.engine import Engine
from solvers.measuring.evaluator import method
from solvers.measuring.measurements import Measurements
from solvers.measuring.score import Role
from solvers.tasks.task import find_task

TOY = str(Path(__file__).parent.parent / "solvers" / "toys" / "twice")
Refusal = Callable[[Sequence[str]], str]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["task", "score", "radix_srt", "."], "unknown task 'radix_srt'"),
        (["task", "score", "radix_sort", "/no/such"], "/no/such: no such folder"),
        (["task", "check", "radix_sort", "--profile", "fast"], "unknown profile 'fast'"),
        (["task", "list", "tests"], "no task folders"),
        (["task", "calibrate", "./nowhere"], "no task.toml"),
        (["task", "score", "radix_sort", ".", "--seed", "12"], "--seed"),
    ],
)
def test_what_cannot_be_is_refused(refusal: Refusal, words: list[str], said: str) -> None:
    assert said in refusal(words)


@pytest.mark.parametrize("action", ["check", "calibrate"])
def test_without_an_engine_there_is_one_line_and_nothing_runs(
    refusal: Refusal, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, action: str
) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none.sock")
    said = refusal(["task", action, "radix_sort"])
    assert "no container engine answers" in said
    assert "docker.io" in said


def test_a_list_says_what_was_measured_here(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    task, kept = find_task("radix_sort"), Measurements(tmp_path / "measurements")
    for role, seconds in ((Role.BASELINE, 0.16), (Role.REFERENCE, 0.01)):
        alike = {"task_digest": task.digest(), "method": method(task.measure), "profile": "small"}
        kept.add(execution_row(metric=seconds, role=role, task="radix_sort", images=("any",), **alike))
    assert main(["task", "list", "--outputs", str(tmp_path), "--json"]) == 0
    rows = {(row["task"], row["profile"]): row for row in json.loads(capsys.readouterr().out)}
    assert rows["radix_sort", "small"]["anchors"] == [0.16, 0.01]
    assert rows["radix_sort", "full"]["anchors"] is None
    assert rows["radix_sort", "full"]["declared"] == [4.5, 0.35]
    assert main(["task", "list", "--outputs", str(tmp_path)]) == 0
    assert "0.16 -> 0.01 s" in capsys.readouterr().out


def test_a_score_from_end_to_end(engine: Engine, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["task", "score", TOY, f"{TOY}/solution", "--profile", "tiny", "--outputs", str(tmp_path)]
    assert main([*words, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["end"], said["correct"], said["role"], said["score_basis"]) == ("right", True, "solution", "local")
    assert said["baseline_local"] > said["reference_local"] > 0
    assert said["score"] == said["score_local"] > 0
    assert said["score_declared"] is None
    (kept,) = (tmp_path / "measurements").iterdir()
    rows = [json.loads(line) for line in kept.read_text().splitlines()]
    roles = [row["role"] for row in rows]  # an anchor whose samples disagree is measured again
    assert (roles[0], roles[-1], set(roles[1:-1]) - {"baseline"}) == ("baseline", "solution", {"reference"})
    assert rows[-1] == said
    assert main([*words, "--json", "--seed", said["seed"]]) == 0
    again = json.loads(capsys.readouterr().out)
    assert [s["seed"] for s in again["sections"][:2]] == [s["seed"] for s in said["sections"][:2]]


def test_a_wrong_one_ends_with_1_and_says_why(
    engine: Engine, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "twice.c").write_text('#include "twice.h"\nvoid twice(uint64_t *x, size_t n) {}\n')
    words = ["task", "score", TOY, str(mine), "--profile", "tiny", "--outputs", str(tmp_path)]
    assert main(words) == 1
    assert "wrong: edge case 1: a number was not doubled" in capsys.readouterr().out
    (mine / "link.c").symlink_to("/etc/passwd")
    assert main(words) == 1
    assert "refused: link.c: a symbolic link" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        ("environment/Dockerfile", "FROM debian:bookworm-slim\nRUN echo so it is >&2 && false\n", "so it is"),
        ("tests/verifier.c", "int x = ;", "error: expected expression"),
        ("tests/child.c", "/* mine */", "the harness has a file of that name"),
    ],
)
def test_an_image_that_cannot_be_built_is_one_line(
    engine: Engine, capsys: pytest.CaptureFixture[str], tmp_path: Path, file: str, text: str, said: str
) -> None:
    task = Path(shutil.copytree(TOY, tmp_path / "twice"))
    (task / file).write_text(text)
    assert main(["task", "check", str(task), "--profile", "tiny", "--outputs", str(tmp_path)]) == 2
    (line,) = [line for line in capsys.readouterr().err.splitlines() if not line.startswith("building the")]
    assert line.startswith("heuresis: ")
    assert said in line
    assert line.isprintable()


def test_where_nothing_can_be_written_nothing_is_measured(refusal: Refusal, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    solution = f"{TOY}/solution"
    assert "file/measurements" in refusal(["task", "score", TOY, solution, "--outputs", str(tmp_path / "file")])
    assert "/proc/foo" in refusal(["task", "calibrate", TOY, "--outputs", "/proc/foo"])
    assert "lies in the solution" in refusal(["task", "score", TOY, solution, "--outputs", f"{solution}/outputs"])
