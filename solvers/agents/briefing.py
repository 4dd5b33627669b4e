"""What an agent is told before it begins: the task, the idea, how to measure, and what earlier lives of it measured."""

from collections.abc import Sequence
from typing import NamedTuple

from actors.prompt import template
from solvers.agents.command_settings import CommandSettings
from solvers.agents.context import Room, exhibits_in
from solvers.agents.solver import Workbench, seconds_left
from solvers.attempt import Execution
from solvers.workspace.solution import Solution

NAME = "agent"
EXHIBIT_CHARS = 20_000
"""The most that is shown of other branches' code."""


class Begin(NamedTuple):
    """Where an agent's life begins. tried: what earlier lives measured; left: executions that are left.

    given: the task's own files, which stand beside the solution and are no part of it.
    """

    solution: Solution
    given: dict[str, bytes]
    tried: Sequence[Execution]
    left: int
    best: bool


def begin(bench: Workbench) -> Begin:
    """Take in what earlier lives have measured, and go on from the best of it, else from the last."""
    bench.recall_rest()
    tried = [row for row, _ in bench.tried]
    known = {bench.start.hash: bench.start} | {code.hash: code for _, code in bench.tried if code is not None}
    best = bench.best
    last = [row.solution for row in ([best] if best else reversed(tried)) if row.solution in known]
    code = known[last[0]] if last and last[0] else bench.start
    protected = bench.task.measure.protected if bench.task.description.measure else ()
    given = {name: (bench.task.environment / name).read_bytes() for name in protected if name not in code.files}
    return Begin(code, given, tried, bench.left, best is not None)


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
        "exhibits": exhibits_in(Room(EXHIBIT_CHARS), hint.exhibits, 1.0),
        "parent_score": None if begun.tried else hint.parent_score,
        "workspace": settings.workspace,
        "files": [*begun.solution.files, *begun.given],
        "protected": task.description.measure.protected if task.description.measure else (),
        "left": begun.left,
        "minutes": f"{max(0.0, seconds_left(bench) - settings.spare_seconds) / 60:.1f}",
        "tried": begun.tried,
        "best": begun.best,
    }
    source = template(NAME)
    context = source.new_context(values)
    return "\n\n".join("".join(source.blocks[block](context)).strip() for block in ("system", "user")) + "\n"
