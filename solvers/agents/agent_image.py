"""The image that an agent runs in: the task's environment or another, with the agent and the relay put in."""

from collections.abc import Callable
from pathlib import Path

from actors.errors import BadInput
from solvers.agents.command_settings import CommandSettings
from solvers.containers.engine import Engine, EngineFault
from solvers.measuring.cores import Cores, alone
from solvers.measuring.evaluator import FIRST_UID
from solvers.measuring.execution import said_nothing
from solvers.measuring.image import digest, environment_image, files_of, need_base
from solvers.tasks.task import Task

RELAY = Path(__file__).resolve().parent / "relay"
BUILD_SECONDS = 1800.0


def agent_image(
    engine: Engine, task: Task, settings: CommandSettings, say: Callable[[str], None] = said_nothing
) -> str:
    """The image's name; built where it is not here. BadInput where what it is made from cannot be had."""
    with alone(Cores().folder, "building-images"):  # all branches of a node would build the same
        base = settings.image or environment_image(engine, task, say)
        if (found := engine.image(base)) is None and engine.pull(base):
            found = engine.image(base)
        if found is None:
            raise BadInput(
                f"solver.image={base}: not here, and no registry gives it; build it (docker build -t {base} FOLDER), "
                "or leave solver.image out and let solver.install add the agent to the task's environment"
            )
        files, install = files_of(RELAY, "*.c", "*.h", "Dockerfile"), settings.install or "true"
        name = f"heuresis/agent:{digest(files, found, install)}"
        if engine.image(name) is None:
            need_base(engine, files["Dockerfile"])
            say(f"building the agent's image on {base}")
            build(engine, name, files, {"IMAGE": base, "INSTALL": install, "FIRST_UID": str(FIRST_UID)})
    return name


def build(engine: Engine, name: str, files: dict[str, bytes], arguments: dict[str, str]) -> None:
    """BadInput where it fails for what the agent's installation does; another failure is the engine's."""
    try:
        engine.build(name, files, arguments, BUILD_SECONDS)
    except EngineFault as fault:
        if arguments["INSTALL"] == "true" or not engine.answers():
            raise
        raise BadInput(
            f"solver.install: {fault}; mend the line, or build an image with the agent in it where there is a network "
            "and name it as solver.image"
        ) from None
