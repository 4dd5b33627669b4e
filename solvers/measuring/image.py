"""The images of a task: its environment, and the one that measures: harness and the task's two halves in one."""

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path

from actors.errors import BadInput
from solvers.containers.base_image import BASE
from solvers.containers.engine import Engine
from solvers.tasks.task import Task

HARNESS = Path(__file__).resolve().parent / "harness"


def files_of(folder: Path, *patterns: str) -> dict[str, bytes]:
    """The regular files of a folder by their names in it."""
    found = [path for pattern in patterns for path in folder.glob(pattern)]
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(set(found))
        if path.is_file() and not path.is_symlink()
    }


def digest(files: Mapping[str, bytes], *more: str) -> str:
    """Twelve hex digits over names and contents."""
    said = hashlib.sha256("\0".join(more).encode())
    for name, content in sorted(files.items()):
        said.update(f"{name}\0{len(content)}\0".encode() + content)
    return said.hexdigest()[:12]


def repository(task: Task) -> str:
    """The engine's name for a task's images: what it allows in one."""
    plain = "".join(letter if letter.isalnum() else "-" for letter in task.name.lower()).strip("-")
    return f"heuresis/{plain or 'task'}"


def environment_name(task: Task) -> str:
    """The environment's image, by what it is made from."""
    return f"{repository(task)}:environment-{digest(files_of(task.environment, '**/*'))}"


def measuring_files(task: Task) -> dict[str, bytes]:
    """The harness with the task's halves; BadInput where the task would replace a part of the harness."""
    ours, theirs = files_of(HARNESS, "*.c", "*.h", "Dockerfile"), files_of(task.tests, "*.c", "*.h")
    if clash := sorted(ours.keys() & theirs.keys()):
        raise BadInput(f"{task.tests / clash[0]}: the harness has a file of that name; call it something else")
    return ours | theirs


def measuring_name(task: Task) -> str:
    """The measuring image, by what it is made from."""
    return f"{repository(task)}:measure-{digest(measuring_files(task), environment_name(task))}"


def environment_image(engine: Engine, task: Task, say: Callable[[str], None]) -> str:
    """The environment's image, built if it is not here; its name."""
    prebuilt = task.description.environment.docker_image
    if prebuilt and not (task.environment / "Dockerfile").exists():
        if engine.image(prebuilt) is None and not engine.pull(prebuilt):
            raise BadInput(f"{task.name}: its image {prebuilt} is not here and no registry gives it")
        return prebuilt
    name = environment_name(task)
    if engine.image(name) is None:
        need_base(engine, (task.environment / "Dockerfile").read_bytes())
        say(f"building the environment of {task.name}")
        engine.build(
            name, files_of(task.environment, "**/*"), {}, seconds=task.description.environment.build_timeout_sec
        )
    return name


def measuring_image(engine: Engine, task: Task, say: Callable[[str], None]) -> str:
    """The measuring image, built if it is not here; its name."""
    environment, name = environment_image(engine, task, say), measuring_name(task)
    if engine.image(name) is None:
        need_base(engine, (HARNESS / "Dockerfile").read_bytes())
        say(f"building the harness of {task.name}")
        seconds = task.description.environment.build_timeout_sec
        engine.build(name, measuring_files(task), {"ENVIRONMENT": environment}, seconds=seconds)
    return name


def need_base(engine: Engine, dockerfile: bytes) -> None:
    """Where nothing can be pulled, the base has to be made first: say so before the engine's long message does."""
    if BASE.encode() in dockerfile and engine.image(BASE) is None and not engine.pull(BASE):
        raise BadInput(f"the image {BASE} is not here and no registry gives it; make it with: heuresis task base")
