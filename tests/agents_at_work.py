"""Stand-in agents: shell scripts in the place of a coding agent's CLI, on a real workbench with a made-up measure."""

import time
from pathlib import Path
from typing import Any

from executions import execution_row
from workbenches import assignment, idea

from actors.budget import Caps, Earlier
from actors.channel import Channel
from actors.desk import Desk
from actors.endpoint import EndpointModel
from actors.found import Found
from actors.journal import read, unit_of
from actors.model import Spec
from actors.pool import LocalPool
from actors.recorded import Call, Recorded
from actors.replay import Tape
from solvers.agents.command_settings import CommandSettings
from solvers.agents.solver import Hint
from solvers.branches.workbench import Bench, Measure, Site
from solvers.containers.base_image import BASE
from solvers.containers.engine import Engine
from solvers.measuring.score import End, Score
from solvers.tasks.task import Task
from solvers.workspace.solution import Refused, Solution

UNIT = "search/t/aim/command/manager/r0/abc"
UID = 20077
START = Solution(files={"twice.c": b"int speed = 1;\n", "twice.h": b"/* fixed */\n"})

ASK = """
ask() { # path, body: the reply's body, by bash alone
    exec 3<>/dev/tcp/127.0.0.1/4000
    printf 'POST %s HTTP/1.1\\r\\nHost: x\\r\\nAuthorization: Bearer %s\\r\\nConnection: close\\r\\n' "$1" "$TOKEN" >&3
    printf 'Content-Type: application/json\\r\\nContent-Length: %d\\r\\n\\r\\n%s' "${#2}" "$2" >&3
    cat <&3
    exec 3>&-
}
"""


def agent(script: str, **more: Any) -> CommandSettings:
    """Settings of an agent that is a bash script."""
    known = {"image": BASE, "environment": {"TOKEN": "{token}"}, "spare_seconds": 0.0, "memory_mb": 256}
    return CommandSettings(command=("bash", "-c", ASK + script, "agent", "{prompt_file}"), **(known | more))


def spec(url: str, **more: Any) -> Spec:
    """The coder, at a loopback server."""
    known = {"name": "coder", "family": "test", "model": "openai/served-name", "api_base": url, "max_tokens": 100}
    return Spec(**(known | more))


async def by_speed(solution: Solution | Refused) -> Score:
    """A made-up measure: the number in ``int speed = N;`` is a hundredth of the score; what has none is wrong."""
    assert isinstance(solution, Solution)
    said = solution.files.get("twice.c", b"").decode().removeprefix("int speed = ").partition(";")[0].strip()
    if not said.isdigit():
        return execution_row(End.WRONG, why="no speed in it", solution=solution.hash, score=0.0)
    return execution_row(metric=1.0 / int(said), score=int(said) / 100, solution=solution.hash)


class Work:
    """A branch's lives, with a journal between them."""

    def __init__(self, folder: Path, engine: Engine, task: Task, coder: Spec, caps: Caps | None = None) -> None:
        self.folder, self.engine, self.task, self.coder = folder, engine, task, coder
        self.desk = Desk(folder, ("run",), caps or Caps(), Earlier(), time.time())
        self.measure: Measure = by_speed

    def bench(self, allowed: int = 3, seconds: float = 60.0, wanted: str = "Make it faster.") -> Bench:
        """The workbench of the next life."""
        channel = Channel(LocalPool(self.desk), 0.0)
        recorded = self.recorded().of("b01")
        return Bench(
            task=self.task,
            profile="tiny",
            assignment=assignment(idea()).model_copy(update={"instruction": wanted}),
            hint=Hint(),
            start=START,
            tape=Tape.of(UNIT, "b01", recorded, channel),
            model=EndpointModel(self.coder),
            site=Site(self.engine, UID, {"heuresis.test": self.folder.name}),
            measure=self.measure,
            allowed=allowed,
            deadline=time.monotonic() + seconds,
            clock=lambda: 0.0,
            recorded=recorded.facts,
        )

    def recorded(self) -> Recorded:
        """What stands in the journal."""
        found = Found()
        for line, event in read(self.folder / "journal.jsonl"):
            found.take(unit_of(line)[1], event, "journal")
        return found.recorded()

    def calls(self) -> list[Call]:
        """The calls in the journal."""
        return list(self.recorded().calls)

    def containers(self) -> list[str]:
        """Its containers that are still there; the engine has a moment to remove them."""
        wanted = {"label": f"heuresis.test={self.folder.name}"}
        ends = time.monotonic() + 5
        while (found := self.engine.client.api.containers(all=True, filters=wanted)) and time.monotonic() < ends:
            time.sleep(0.05)
        return [one["Id"] for one in found]
