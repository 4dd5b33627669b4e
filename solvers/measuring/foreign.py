"""A task of others: its own verifier runs as it is, in a fresh container of its environment, and its word is taken.

Nothing here can make such a verifier honest: it shares a container with the solution. Rows say ``trust=foreign``. What
is kept: the host, other branches, limits on time and memory, and no network unless the task asks for one. Not guarded:
the disk, beyond a look every two seconds at what stands in the container's layer (a file that is written to after it
was removed does not show); a verifier that stops our program in the container outlives a driver that is killed, until
the next start.
"""

import json
import math
import time
from collections.abc import Callable
from typing import Any

from actors.errors import BadInput
from actors.visible import visible
from solvers.containers.container import MIB, Cell, Container, Late
from solvers.containers.engine import Engine, EngineFault, engine_faults, tar_of
from solvers.measuring.cores import Cores, Still
from solvers.measuring.execution import Told, execution, identified, refusal, said_nothing
from solvers.measuring.image import environment_image, files_of
from solvers.measuring.node import load, node
from solvers.measuring.score import End, Role, Score, Seeding
from solvers.tasks.task import Task
from solvers.workspace.solution import Limits, Refused, Solution, read_tar, to_tar

TICK = 2.0  # seconds between looks at the disk it uses
USUAL = ("CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "SETGID", "SETUID")
OUTPUT = "/logs/verifier/test-stdout.txt"
FILE = Limits(files=1, file_bytes=1 << 20)


class Full(Exception):
    """It wrote more than the task allows."""


class Foreign:
    """Executions of a foreign task. Every one has a container of its own: its verifier may write where it likes."""

    def __init__(
        self,
        engine: Engine,
        task: Task,
        cores: Cores,
        say: Callable[[str], None] = said_nothing,
        labels: dict[str, str] | None = None,
        still: Still = lambda: None,
    ) -> None:
        if task.description.environment.gpus:
            raise BadInput(f"{task.name}: needs a GPU, and no verifier is run with one yet")
        self._engine, self._task, self._cores, self._still = engine, task, cores, still
        self._digest = task.digest()
        self._say, self._image = say, environment_image(engine, task, say)
        self.images: tuple[str, ...] = (self._image,)
        self.made_of = identified(engine, self.images)
        asked = task.description.environment
        self._cell = Cell(
            image=self._image,
            command=("cat",),
            memory_mb=asked.memory_mb,
            processes=1024,
            user="",
            capabilities=USUAL,
            network=asked.allow_internet,
            read_only=False,
            labels=labels or {},
        )

    def evaluate(
        self,
        solution: Solution | Refused,
        role: Role = Role.SOLUTION,
        seeding: Seeding = Seeding.SEARCH,
        seed: str | None = None,
        timed: bool = True,
    ) -> Score:
        """One execution; the verifier draws its own seeds, so there is none to give."""
        return execution(
            self._task,
            self._cores,
            lambda: self._run(solution),
            task_digest=self._digest,
            profile=None,
            method="foreign",
            images=self.made_of,
            solution=None if isinstance(solution, Refused) else solution.hash,
            role=role,
            seeding=seeding,
        )

    def _run(self, solution: Solution | Refused) -> Told:
        if isinstance(solution, Refused):
            return refusal(solution)
        cpus = self._task.description.environment.cpus
        if cpus < 1:  # it says itself that its time hangs on no core
            return self._in_container(solution, self._cores.housekeeping)
        with self._cores.lease(waiting=self._say, still=self._still) as lease:
            told: Told = {"core": lease.core, "core_shared": lease.shared, "queued": lease.waited}
            told |= {"node": node(lease.core), "load_before": load()}
            return told | self._in_container(solution, (lease.core,) if cpus == 1 else None)

    def _in_container(self, solution: Solution, cores: tuple[int, ...] | None) -> Told:
        with Container(self._engine, self._cell.model_copy(update={"cores": cores})) as container:
            try:
                return self._verify(container, solution)
            except EngineFault as fault:
                if isinstance(fault, Late) or not (self._engine.answers() and container.lost()):
                    raise
                return {"end": End.KILLED, "why": "it ended its own container"}

    def _verify(self, container: Container, solution: Solution) -> Told:
        """Solution to the working folder, tests to /tests beside what the image has there, then test.sh."""
        tests = files_of(self._task.tests, "**/*")
        self._put(container, self._working_folder(), to_tar(solution))
        self._put(container, "/", tar_of({f"tests/{name}": data for name, data in tests.items()}).getvalue())
        began = time.time()
        try:
            code = self._run_tests(container)
        except Late as late:
            return {"end": End.TIME, "why": str(late)}
        except Full as full:
            return {"end": End.DISK, "why": str(full)}
        told: Told = {"log": visible(self._file(container, OUTPUT)) or None}
        if code == 137 and self._engine.ran_out_of_memory(container.id, began):
            return told | {"end": End.MEMORY, "why": "the verifier or the solution ran out of memory"}
        return told | verdict(self._reward(container), code)

    def _working_folder(self) -> str:
        with engine_faults("looking at an image"):
            said = self._engine.client.images.get(self._image).attrs
        return str(said["Config"].get("WorkingDir") or "/app")

    def _put(self, container: Container, folder: str, tar: bytes) -> None:
        with engine_faults(f"writing to {folder} of a container"):
            self._engine.client.api.put_archive(container.id, folder, tar)

    def _run_tests(self, container: Container) -> int:
        """The exit code of test.sh; Late where it took too long or wrote too much."""
        api, most = self._engine.client.api, self._task.description.environment.storage_mb
        seconds = self._task.description.verifier.timeout_sec
        script = ["sh", "-c", f"mkdir -p /logs/verifier && exec bash /tests/test.sh >{OUTPUT} 2>&1"]
        with engine_faults("running a verifier"):
            run = api.exec_create(container.id, script, workdir=self._working_folder())["Id"]
            api.exec_start(run, detach=True)
            ends, pause = time.monotonic() + seconds, 0.02
            while (state := api.exec_inspect(run))["Running"]:
                self._still()
                if time.monotonic() > ends:
                    raise Late(f"the verifier took more than {seconds:g} s")
                if written(api.containers(filters={"id": container.id}, size=True)) > most * MIB:
                    raise Full(f"more than {most} MB were written")
                time.sleep(pause)
                pause = min(pause * 1.5, TICK)
        return int(state["ExitCode"] or 0)

    def _reward(self, container: Container) -> dict[str, Any] | float | None:
        """What reward.json holds, or else the number of reward.txt; None where neither can be read."""
        for name in ("reward.json", "reward.txt"):
            try:
                said = json.loads(self._file(container, f"/logs/verifier/{name}"))
            except (ValueError, RecursionError):
                continue
            if isinstance(said, dict | int | float):
                return said
        return None

    def _file(self, container: Container, path: str) -> str:
        """A small regular file, read by the engine: no program of the container can be trusted by now."""
        try:
            with engine_faults(f"reading {path}"):
                chunks, _ = self._engine.client.api.get_archive(container.id, path)
                (content,) = read_tar(chunks, FILE).files.values()
        except Refused:
            return ""
        except EngineFault:  # no such file, if all else is well
            if container.lost() or not self._engine.answers():
                raise
            return ""
        return content.decode(errors="replace")

    def close(self) -> None:
        """Nothing stays warm here."""

    def __enter__(self) -> "Foreign":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def written(listed: list[dict[str, Any]]) -> int:
    """Bytes that a container has written to its own layer."""
    return int(listed[0].get("SizeRw") or 0) if listed else 0


def number(value: object) -> float | None:
    """A finite number, or none: other collections leave fields null, or write text there."""
    try:
        found = float(value) if isinstance(value, bool | int | float) else math.nan
    except OverflowError:
        return None
    return found if math.isfinite(found) else None


def verdict(said: dict[str, Any] | float | None, code: int) -> Told:
    """Only reward, correctness, metric and speedup are read, whatever else is there."""
    fields = said if isinstance(said, dict) else {"reward": said}
    reward, right = number(fields.get("reward")), number(fields.get("correctness"))
    told: Told = {
        "reward": reward,
        "score": reward,
        "score_basis": None if reward is None else "reward",
        "metric": number(fields.get("metric")),
        "speedup": number(fields.get("speedup")),
    }
    if reward is None:
        return told | {"end": End.NO_REWARD, "why": f"no reward in /logs/verifier (exit code {code} of test.sh)"}
    if right == 0 or (right is None and reward <= 0):
        return told | {"end": End.WRONG, "why": f"reward {reward:g}, correctness {right}"}
    return told | {"end": End.RIGHT}
