"""A task arrives on a node as it left the driver."""

from pathlib import Path

import pytest

from actors.errors import BadInput
from solvers.tasks.packed import PackedTask, pack, settle, unpack
from solvers.tasks.task import Task, find_task, read_task


def test_a_task_travels_whole(tmp_path: Path) -> None:
    task = find_task("radix_sort")
    packed = PackedTask.model_validate_json(pack(task).model_dump_json())
    there = unpack(packed, tmp_path)
    assert (there.digest(), there.name) == (task.digest(), task.name)
    assert (there.catalog / "catalog.toml").read_bytes() == (task.catalog / "catalog.toml").read_bytes()


def test_processes_of_a_node_share_one_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, toy: Task) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    one, two = settle(pack(toy)), settle(pack(toy))
    assert one.folder == two.folder
    assert one.digest() == toy.digest()
    assert len(list(one.folder.parents[1].iterdir())) == 1
    assert settle(pack(find_task("radix_sort"))).folder.parents[1] == one.folder.parents[1]


def test_a_task_with_a_link_stays_at_home(tmp_path: Path, toy: Task) -> None:
    there = unpack(pack(toy), tmp_path)
    (there.folder / "data").symlink_to("/etc")
    with pytest.raises(BadInput, match="data: a symbolic link"):
        pack(read_task(there.folder))


def test_a_copy_that_was_changed_or_cleaned_away_in_part_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, toy: Task
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    packed = pack(toy)
    verifier = settle(packed).tests / "verifier.c"
    verifier.write_text("spoilt")
    assert settle(packed).digest() == toy.digest()
    verifier.unlink()
    assert settle(packed).digest() == toy.digest()
    assert len(list(verifier.parents[3].iterdir())) == 1, "nothing is left of what was replaced"


def test_two_folders_with_the_same_files_are_two_tasks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, toy: Task
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    packed = pack(toy)
    assert settle(packed.model_copy(update={"name": "first"})).folder.name == "first"
    assert settle(packed.model_copy(update={"name": "second"})).folder.name == "second"
