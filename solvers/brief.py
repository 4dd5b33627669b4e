"""What policies and operators are told of a task."""

from pathlib import Path

from actors.errors import BadInput
from solvers.state import Brief
from solvers.tasks.catalog import Catalog
from solvers.tasks.task import Task, Trust
from solvers.tasks.technique import Techniques

MEASURED = (
    "Scores are from 0 to 100. A solution that is wrong, or no faster than the code to begin with, scores 0; a "
    "competent reference scores 50; 100 takes the square of the reference's speed-up. In between the score goes with "
    "the logarithm of the time."
)
FOREIGN = "The score is the reward that the task's own verifier gives, times 100; {direction} of {metric} is the aim."


def brief_of(task: Task, background: bool, techniques: bool) -> Brief:
    """The brief. background: with brief.md; techniques: with those of the catalogue, for a solver that builds them."""
    description = task.description
    aim = {"direction": description.optimization.direction, "metric": description.optimization.metric}
    own = task.folder / "brief.md"
    known = Techniques(Catalog(task.catalog).techniques.values() if techniques else ())
    return Brief(
        name=task.name,
        title=description.metadata.title or task.name,
        instruction=text_of(task.folder / "instruction.md"),
        brief=text_of(own) if background and own.exists() else "",
        language=description.measure.language if description.measure else description.metadata.language or "",
        scale=MEASURED if task.trust is Trust.HARNESS else FOREIGN.format(**aim),
        techniques=tuple((one.id, one.about) for one in known.by_id.values()),
        needs={one.id: one.needs for one in known.by_id.values() if one.needs},
        excludes={name: tuple(known.ordered(foes)) for name in known.by_id if (foes := known.foes(name))},
    )


def text_of(path: Path) -> str:
    """What a file says; BadInput where it is no text."""
    try:
        return path.read_text()
    except (UnicodeDecodeError, OSError) as error:
        why = "is not UTF-8" if isinstance(error, UnicodeDecodeError) else error.strerror
        raise BadInput(f"{path}: {why}; mend the task") from None
