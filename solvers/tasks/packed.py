"""A task as it travels: its files by name, so that a worker needs neither the driver's disk nor its checkout."""

import hashlib
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

from actors.errors import BadInput
from actors.row import Row
from actors.user_folder import user_folder
from solvers.tasks.task import Task, read_task
from solvers.workspace.solution import Content, Limits, Refused, Solution, read_folder

LIMITS = Limits(files=5000, file_bytes=256 << 20, total_bytes=512 << 20, depth=16)
LEFT_BEHIND = {"landscape.parquet"}  # for analyses, not for branches


class PackedTask(Row):
    """A task's folder. name: the folder's own, which a task without a name is called by."""

    name: str
    files: dict[str, Content]


def pack(task: Task) -> PackedTask:
    """The files of a task; BadInput where one of them cannot travel, such as a link."""
    try:
        files = read_folder(task.folder, LIMITS).files
    except Refused as refused:
        raise BadInput(f"{task.folder}: {refused}; a task's folder holds plain files alone") from None
    kept = {name: content for name, content in files.items() if name not in LEFT_BEHIND}
    return PackedTask(name=task.folder.name, files=kept)


def unpack(packed: PackedTask, folder: Path) -> Task:
    """The task, read from files under ``folder``."""
    root = folder / packed.name
    for name, content in packed.files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return read_task(root)


def settle(packed: PackedTask) -> Task:
    """The task on this node: in a folder that all processes of a user share, and that outlives them.

    It is known by name and content, and made anew where it no longer is what its name says.
    """
    tasks = user_folder("tasks")
    place = tasks / hashlib.sha256(f"{packed.name} {Solution(files=packed.files).hash}".encode()).hexdigest()
    if not is_whole(place / packed.name, packed):
        aside, old = (Path(tempfile.mkdtemp(prefix=".", dir=tasks)) for _ in range(2))
        unpack(packed, aside)
        with suppress(OSError):  # a cleaner of old files went through it, or somebody's hand; or it was never there
            place.rename(old / "task")
        with suppress(OSError):  # another process was first
            aside.rename(place)
        for left in (aside, old):
            shutil.rmtree(left, ignore_errors=True)
    return read_task(place / packed.name)


def is_whole(folder: Path, packed: PackedTask) -> bool:
    """Whether the folder holds just these files."""
    try:
        return read_folder(folder, LIMITS).files == packed.files
    except Refused:
        return False
