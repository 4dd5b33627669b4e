"""Executions on disk, and the anchors among them."""

import multiprocessing
from pathlib import Path
from typing import Any

import pytest
from executions import execution_row

from actors.errors import BadInput
from solvers.measuring.measurements import Measurements, alike
from solvers.measuring.node import node
from solvers.measuring.score import End, Role


def write(folder: Path, count: int) -> None:
    for number in range(count):
        Measurements(folder).add(execution_row(metric=number + 1.0))


def test_what_was_measured_is_read_back_in_order(tmp_path: Path) -> None:
    kept = Measurements(tmp_path / "new")
    rows = [execution_row(metric=1.0), execution_row(End.WRONG, why="a line\nand another")]
    for row in rows:
        kept.add(row)
    assert list(kept.all(node().host)) == rows
    assert list(kept.all("another host")) == []


def test_several_processes_write_whole_lines(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=write, args=(tmp_path, 20)) for _ in range(3)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert len(list(Measurements(tmp_path).all(node().host))) == 60


def test_a_line_that_was_cut_short_is_passed_over(tmp_path: Path) -> None:
    kept = Measurements(tmp_path)
    kept.add(execution_row(metric=1.0))
    (file,) = tmp_path.iterdir()
    with file.open("ab") as more:
        more.write(file.read_bytes()[:100])
    kept.add(execution_row(metric=2.0))
    assert [row.metric for row in kept.all(node().host)] == [1.0, 2.0]


def test_anchors_are_medians_of_what_was_measured_alike(tmp_path: Path) -> None:
    kept, here = Measurements(tmp_path), alike(execution_row(images=("one",)))
    kept.add(execution_row(metric=4.0, role=Role.BASELINE, images=("one",)))
    assert kept.anchors(here) is None
    kept.add(execution_row(metric=1.0, role=Role.REFERENCE, images=("one",)))
    assert kept.anchors(here) == (4.0, 1.0)
    for metric in (3.0, 3.2, 9.0):  # the last one on a busy machine
        kept.add(execution_row(metric=metric, role=Role.BASELINE, images=("one",)))
    assert kept.anchors(here) == (3.6, 1.0)
    kept.add(execution_row(metric=0.1, role=Role.SOLUTION, images=("one",)))
    kept.add(execution_row(End.WRONG, role=Role.REFERENCE, images=("one",)))
    assert kept.anchors(here) == (3.6, 1.0)


@pytest.mark.parametrize(
    "other",
    [
        {"task_digest": "changed"},
        {"profile": "small"},
        {"method": "another harness"},
        {"images": ("another compiler",)},
        {"node": node().model_copy(update={"cpu_model": "another"})},
    ],
    ids=lambda other: next(iter(other)),
)
def test_what_was_measured_otherwise_is_no_anchor(tmp_path: Path, other: dict[str, Any]) -> None:
    kept, here = Measurements(tmp_path), alike(execution_row(images=("one",)))
    for role in (Role.BASELINE, Role.REFERENCE):
        kept.add(execution_row(metric=2.0, role=role, **({"images": ("one",)} | other)))
    assert kept.anchors(here) is None
    anybody = here._replace(images=None)  # for a list, which asks no engine
    assert (kept.anchors(anybody) is None) is ("images" not in other)


def test_a_restless_measurement_is_no_anchor_where_there_is_a_calm_one(tmp_path: Path) -> None:
    kept, here = Measurements(tmp_path), alike(execution_row())
    kept.add(execution_row(metric=4.0, role=Role.BASELINE, spread=0.01))
    for metric, spread in ((2.0, 0.5), (1.9, 0.3)):
        kept.add(execution_row(metric=metric, role=Role.REFERENCE, spread=spread))
    assert kept.anchors(here) == (4.0, 1.9), "the calmest, where none is calm"
    kept.add(execution_row(metric=1.0, role=Role.REFERENCE, spread=0.02))
    assert kept.anchors(here) == (4.0, 1.0)


def test_a_full_disk_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.write", lambda file, data: len(data) // 2)
    with pytest.raises(OSError, match="No space left"):
        Measurements(tmp_path).add(execution_row(metric=1.0))


def test_an_anchor_that_is_no_time_is_told_with_its_line(tmp_path: Path) -> None:
    kept = Measurements(tmp_path)
    kept.add(execution_row(metric=1.0))
    kept.add(execution_row(metric=0.0, role=Role.BASELINE))
    with pytest.raises(BadInput, match=r"\.jsonl, line 2: a baseline of t cannot take 0 s; remove that line"):
        kept.anchors(alike(execution_row()))


def test_a_folder_in_the_place_of_the_file_is_told(tmp_path: Path) -> None:
    (tmp_path / f"{node().host}.jsonl").mkdir()
    with pytest.raises(BadInput, match=r"\.jsonl: Is a directory, so no measurements can be kept; move it away"):
        Measurements(tmp_path).anchors(alike(execution_row()))
