"""One execution: a solution in, a row out. Ours are built apart and measured on a core of their own, by nobody's word.

An evaluator belongs to one branch: its containers stay warm between executions, under a uid that no other branch of
this driver has.
"""

import secrets
from collections.abc import Callable

from solvers.containers.container import Cell, Gone
from solvers.containers.engine import Engine
from solvers.measuring.builder import BuildEnd, Builder, Built, build_command
from solvers.measuring.cores import Cores, Still
from solvers.measuring.execution import Told, execution, identified, refusal, said_nothing
from solvers.measuring.image import HARNESS, digest, environment_image, files_of, measuring_image
from solvers.measuring.measure import POLICY, Allowance, Measured, Seeds, measure
from solvers.measuring.node import load, node
from solvers.measuring.score import End, Role, Score, Seeding
from solvers.measuring.timekeeper import Death, Died, Timekeeper
from solvers.tasks.task import Measure, Task
from solvers.workspace.solution import Refused, Solution, read_folder
from solvers.workspace.source import is_source

FIRST_UID = 20_000
BUILT = {
    BuildEnd.REJECTED: End.REJECTED,
    BuildEnd.TIME: End.BUILD_TIME,
    BuildEnd.MEMORY: End.BUILD_MEMORY,
}


def method(measure: Measure) -> str:
    """Twelve hex digits over our part in a measurement: harness, builder, compiler's command, how sections are made."""
    return digest(files_of(HARNESS, "*"), build_command(measure), POLICY)


class Evaluator:
    """Executions of one of our tasks at one profile."""

    def __init__(
        self,
        engine: Engine,
        task: Task,
        profile: str,
        cores: Cores,
        branch: int = 0,
        say: Callable[[str], None] = said_nothing,
        labels: dict[str, str] | None = None,
        still: Still = lambda: None,
    ) -> None:
        self._task, self._profile_name, self._cores, self._still = task, profile, cores, still
        self._profile, self._measure = task.profile(profile), task.measure
        self._digest = task.digest()
        self._say = say
        self.images: tuple[str, ...] = environment_image(engine, task, say), measuring_image(engine, task, say)
        self.made_of = identified(engine, self.images)
        uid = FIRST_UID + branch
        memory = task.description.environment.memory_mb
        cell = Cell(image="", command=(), memory_mb=memory, labels=labels or {})
        building = cell.model_copy(update={"user": f"{uid}:{uid}", "cores": cores.housekeeping})
        self.builder = Builder(engine, self.images[0], self._measure, building)
        self.keeper = Timekeeper(engine, self.images[1], self._measure, cell, uid)
        environment = read_folder(task.environment).files
        self._protected = {name: environment[name] for name in self._measure.protected}

    def evaluate(
        self,
        solution: Solution | Refused,
        role: Role = Role.SOLUTION,
        seeding: Seeding = Seeding.SEARCH,
        seed: str | None = None,
        timed: bool = True,
    ) -> Score:
        """See `Evaluates`."""
        master = seed or secrets.token_hex(32)
        return execution(
            self._task,
            self._cores,
            lambda: self._run(solution, master, timed),
            task_digest=self._digest,
            profile=self._profile_name,
            method=method(self._measure),
            images=self.made_of,
            solution=None if isinstance(solution, Refused) else solution.hash,
            role=role,
            seeding=seeding,
            seed=master,
        )

    def _run(self, solution: Solution | Refused, master: str, timed: bool) -> Told:
        """Build, then measure."""
        if isinstance(solution, Refused):
            return refusal(solution)
        for name, content in self._protected.items():
            if solution.files.get(name, content) != content:
                return {"end": End.PROTECTED, "why": f"{name} belongs to the task and was changed"}
        if not any(is_source(name, self._measure.language) for name in solution.files):
            held = ", ".join(list(solution.files)[:5]) or "nothing"
            return {"end": End.REJECTED, "why": f"no {self._measure.language} source in it, but {held}"}
        try:
            whole = Solution(files=solution.files | self._protected)
        except Refused as refused:  # it has a folder of that name
            return refusal(refused)
        built = self.builder.build(whole)
        told: Told = {"build_seconds": built.seconds, "log": built.log or None, "object": built.hash}
        if built.end is not BuildEnd.BUILT:
            return told | {"end": BUILT[built.end], "why": first_error(built)}
        self.keeper.warm.container()  # before others have to wait for us
        with self._cores.lease(waiting=self._say, still=self._still) as lease:
            told |= {"core": lease.core, "core_shared": lease.shared, "queued": lease.waited}
            told |= {"node": node(lease.core), "load_before": load()}
            allowance = Allowance(self._measure.call_sec, self._task.description.verifier.timeout_sec, timed)
            try:
                measured = measure(self.keeper, built.object, self._profile, lease, Seeds(master), allowance)
            except Died as died:
                return told | {"end": end_of(died), "why": why(died, allowance)}
            except Gone as gone:
                if not gone.memory:
                    raise
                return told | {"end": End.MEMORY, "why": str(gone)}
        return told | outcome(measured)

    def close(self) -> None:
        """End the containers for good, from any thread: an execution that is under way ends with a fault."""
        self.builder.warm.end()
        self.keeper.warm.end()

    def __enter__(self) -> "Evaluator":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def outcome(measured: Measured) -> Told:
    """What sections say."""
    told: Told = {"sections": measured.sections, "samples": measured.samples, "load_seconds": measured.load}
    if wrong := measured.wrong:
        return told | {"end": End.WRONG, "why": f"{wrong.kind} case {wrong.case}: {wrong.why}"}
    return told | {"end": End.RIGHT, "metric": measured.seconds, "spread": measured.spread}


def first_error(built: Built) -> str:
    """The line of a compiler's log to begin with."""
    lines = [line for line in built.log.splitlines() if "error" in line.lower()] or built.log.splitlines()
    return (lines[0] if lines else "no object was built")[:500]


def end_of(died: Died) -> End:
    """An exit while loading is a failure to load."""
    return End.LOAD if died.loading and died.how is Death.EXIT else End(died.how.value)


def why(died: Died, allowance: Allowance) -> str:
    """A death in one line."""
    what = {
        Death.CRASH: f"signal {died.detail}",
        Death.EXIT: f"it left with exit code {died.detail}",
        Death.FORBIDDEN: "a system call that solutions may not make",
        Death.MEMORY: "it ran out of memory",
        Death.KILLED: "it was killed",
        Death.TIME: f"it took too long{'' if allowance.left() else ' for [verifier] timeout_sec'}",
    }[died.how]
    where = "while it was loaded" if died.loading else f"in {died.kind} case {died.case} or so"
    said = " ".join(died.text.split())
    return f"{what} {where}{': ' + said[:400] if said else ''}"
