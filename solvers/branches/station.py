"""A node as branches use it: its engine, its cores, the task's files, and evaluators, each with a number of its own."""

import platform
from collections.abc import Iterator
from contextlib import contextmanager

from actors.errors import BadInput
from actors.pool import Unfit
from solvers.branches.uids import own_number
from solvers.branches.workbench import Site
from solvers.containers.engine import Engine, EngineFault
from solvers.measuring.anchors import baseline
from solvers.measuring.cores import Cores, Still, alone
from solvers.measuring.evaluator import FIRST_UID, Evaluator
from solvers.measuring.execution import Evaluates
from solvers.measuring.foreign import Foreign
from solvers.tasks.packed import PackedTask, settle
from solvers.tasks.task import Task, Trust
from solvers.workspace.solution import Solution, read_folder


class Station:
    """One for each process that works on branches. Unfit where no engine answers; BadInput: no such task."""

    def __init__(self, packed: PackedTask, profile: str) -> None:
        self.task = settle(packed)
        self.profile = profile
        try:
            self.engine = Engine.connect()
        except BadInput as error:
            raise Unfit(f"{platform.node()}: {error}") from None
        self.engine.sweep()
        self.cores = Cores()
        self.cores.keep_off()

    @contextmanager
    def evaluator(self, labels: dict[str, str], still: Still) -> Iterator[tuple[Evaluates, Site]]:
        """A warm evaluator, and where its branch stands; images are built by one process of the node at a time.

        still: asked while it waits for others of the node; what it raises ends that.
        """
        with own_number(self.cores.folder) as number:
            with alone(self.cores.folder, "building-images", still):
                evaluator = self._opened(number, labels, still)
            try:
                yield evaluator, Site(self.engine, FIRST_UID + number, labels)
            finally:
                evaluator.close()

    def _opened(self, number: int, labels: dict[str, str], still: Still) -> Evaluates:
        """BadInput where an image cannot be built though the engine is well: that is the task's fault."""
        try:
            if self.task.trust is Trust.FOREIGN:
                return Foreign(self.engine, self.task, self.cores, labels=labels, still=still)
            about = (self.engine, self.task, self.profile, self.cores)
            return Evaluator(*about, branch=number, labels=labels, still=still)
        except EngineFault as fault:
            if not self.engine.answers():
                raise
            raise BadInput(f"{self.task.name}: {fault}; see heuresis task check") from None


def start_of(task: Task) -> Solution:
    """The code that a search begins with: the baseline, of a foreign task all that its environment brings."""
    if task.trust is Trust.HARNESS:
        return baseline(task)
    files = read_folder(task.environment).files
    return Solution(files={name: content for name, content in files.items() if name != "Dockerfile"})
