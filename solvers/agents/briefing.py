"""What an agent is told before it begins: the task, the idea, how to measure, and what earlier lives of it measured."""

from collections.abc import Sequence
from typing import NamedTuple

from actors.prompt import template
from solvers.agents.command_settings import CommandSettings
from solvers.agents.solver import Workbench, seconds_left
from solvers.attempt import Execution
from solvers.measuring.score import End
from solvers.workspace.solution import Refused, Solution

NAME = "agent"


class Begin(NamedTuple):
    """Where an agent's life begins. tried: what earlier lives measured; left: executions that are left."""

    solution: Solution
    tried: Sequence[Execution]
    left: int
    best: bool


async def begin(bench: Workbench) -> Begin:
    """Take in what earlier lives have measured, and go on from the best of it, else from the last."""
    known = {bench.start.hash: bench.start}
    for row, solution in bench.tried:
        if solution is not None:
            known[solution.hash] = solution
        if row.verdict in (End.ENGINE, End.LOST):
            continue  # to ask for these would measure them anew
        if row.solution in known:
            await bench.evaluate(known[row.solution])
        elif row.solution is None:
            await bench.evaluate(Refused("as before"))
    tried = [row for row, _ in bench.tried]
    left = bench.left - max(0, len(tried) - len(bench.executions))
    best = bench.best
    measured = [best] if best else [row for row in reversed(tried) if row.solution in known]
    if not measured or measured[0].solution is None:
        return Begin(bench.start, tried, left, best=False)
    return Begin(known[measured[0].solution], tried, left, best=best is not None)


def briefing(bench: Workbench, settings: CommandSettings, begun: Begin) -> str:
    """The prompt, as one text."""
    task, assignment, hint = bench.task, bench.assignment, bench.hint
    values = {
        "title": task.description.metadata.title or task.name,
        "instruction": (task.folder / "instruction.md").read_text().strip(),
        "brief": hint.brief,
        "idea": assignment.idea,
        "wanted": assignment.instruction,
        "lessons": hint.lessons,
        "parent_score": None if begun.tried else hint.parent_score,
        "workspace": settings.workspace,
        "files": list(begun.solution.files),
        "protected": task.description.measure.protected if task.description.measure else (),
        "left": begun.left,
        "minutes": f"{max(0.0, seconds_left(bench) - settings.spare_seconds) / 60:.1f}",
        "tried": begun.tried,
        "best": begun.best,
    }
    source = template(NAME)
    context = source.new_context(values)
    return "\n\n".join("".join(source.blocks[block](context)).strip() for block in ("system", "user")) + "\n"
