"""The solver without a model: it renders what an idea names from the task's catalogue, and tunes its parameters.

The idea stays the idea: techniques that it names are on, with what they need, and no others. Not guarded: a text that
names a technique only to say that it is not wanted.
"""

import math
import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Literal

from actors.errors import BadInput, UnitFault
from actors.row import Row
from solvers.agents.solver import Known, Workbench
from solvers.agents.walk import Walk, Worth
from solvers.assignment import Assignment
from solvers.attempt import Execution
from solvers.tasks.catalog import Catalog
from solvers.tasks.technique import Choice
from solvers.workspace.solution import Solution

ENDINGS = re.compile(r"(?<=...)(?:ings?|ers?|eds?|es|s|e)$")


class CatalogSettings(Row):
    """How it searches. pairs: whether two parameters are changed at once where changing one brings nothing more."""

    kind: Literal["catalog"] = "catalog"
    pairs: bool = True


class CatalogSolver:
    """Spends all executions of its branch on one choice's parameters, or stops when nothing is left to try.

    It walks over what earlier branches measured without measuring it again, so a branch goes on where one with the
    same techniques ended. Of branches with the same work at once each measures its share of what they come to.
    """

    def __init__(self, settings: CatalogSettings) -> None:
        self._settings = settings

    async def solve(self, bench: Workbench) -> None:
        """See `Solver`. UnitFault where the assignment names nothing that the task's catalogue knows."""
        try:
            catalog = Catalog(bench.task.catalog)
            start, remark = chosen(catalog, bench.assignment, bench.hint.parent_choice)
        except BadInput as error:
            raise UnitFault(f"{bench.task.name}: the catalog solver has nothing to build: {error}") from None
        downwards = bench.task.description.optimization.direction == "minimize"
        told = [Choice.model_validate_json(known.choice) for known in bench.hint.measured.values() if known.choice]
        walk = Walk(catalog.techniques, start, self._settings.pairs, told)
        broken, measured = "", set[str]()
        while bench.left > 0 and (choice := walk.next()) is not None:
            try:
                solution = Solution(files=catalog.render(choice))
            except BadInput as error:  # the template's own fault, which another value may not show
                broken = str(error)
                continue
            if solution.hash in measured:  # a parameter that shows nowhere in this combination
                continue
            measured.add(solution.hash)
            if (known := bench.hint.measured.get(solution.hash)) is not None:
                walk.learn(worth(known, downwards))
                continue
            if len(measured) > 1 and not dealt(solution, bench.hint.share):  # the first is the walk's scale
                continue
            about = choice.label + remark
            row = await bench.evaluate(solution, about=about, choice=choice.model_dump_json())
            walk.learn(worth(row, downwards))
            remark = ""
        if broken and not bench.executions:
            raise UnitFault(broken)


def dealt(solution: Solution, share: tuple[int, int]) -> bool:
    """Whether a solution is this branch's to measure. share: which of how many branches it is, from 0."""
    own, of = share
    return int(solution.hash[:8], 16) % of == own


def worth(row: Execution | Known, downwards: bool) -> Worth | None:
    """What a choice is worth by its execution; None where it is wrong, or was never measured."""
    if not row.correct:
        return None
    if row.metric is None:
        return row.score or 0.0, -math.inf
    return row.score or 0.0, -row.metric if downwards else row.metric


def chosen(catalog: Catalog, assignment: Assignment, parent_choice: str) -> tuple[Choice, str]:
    """The choice to begin with, and what is to be said of it.

    What the assignment names, with the parent's values of shared parameters; else the parent's choice itself. BadInput
    where there is neither, or the parent's is not of this catalogue.
    """
    parent = catalog.check(Choice.model_validate_json(parent_choice)) if parent_choice else None
    names, unknown = named(catalog, assignment)
    if not names:
        if parent is None:
            known = ", ".join(catalog.techniques)
            raise BadInput(f"{shown(assignment)} names no technique of {catalog.path}; name one of: {known}")
        return parent, said(unknown, {})
    choice, left_out = catalog.combined(names)
    kept = parent.techniques if parent is not None else {}
    values = {name: {**own, **kept.get(name, {})} for name, own in choice.techniques.items()}
    return catalog.check(Choice(techniques=values)), said(unknown, left_out)


def shown(assignment: Assignment) -> str:
    """What a branch was given, for a message."""
    return f"idea {assignment.idea.id}" if assignment.idea else f"the instruction of branch {assignment.branch}"


def said(unknown: Sequence[str], left_out: dict[str, str]) -> str:
    """What became of names that are not in the choice."""
    dropped = [f"{name} (it excludes {other})" for name, other in left_out.items()]
    parts = [f"left out: {', '.join(dropped)}"] if dropped else []
    parts += [f"unknown: {', '.join(unknown)}"] if unknown else []
    return "".join(f"; {part}" for part in parts)


def named(catalog: Catalog, assignment: Assignment) -> tuple[list[str], list[str]]:
    """Techniques that an assignment names, in its order, and names that are none.

    Those that the idea lists, taken for the nearest where misspelt; else those that its text, or the instruction of an
    assignment without an idea, mentions.
    """
    idea = assignment.idea
    if idea is None:
        return mentioned(assignment.instruction, catalog.techniques), []
    found: dict[str, None] = {}
    unknown = []
    for name in idea.techniques:
        if near := get_close_matches(name.strip().lower().replace("-", "_"), catalog.techniques, n=1, cutoff=0.8):
            found[near[0]] = None
        else:
            unknown.append(name)
    if found:
        return list(found), unknown
    return mentioned(" . ".join((idea.title, idea.short_hypothesis, idea.abstract)), catalog.techniques), unknown


def mentioned(text: str, names: Iterable[str]) -> list[str]:
    """``names`` that stand in ``text``, whatever their endings, in order of appearance; longer names go first."""
    said = words(text)
    known = sorted(((words(name), name) for name in names), key=lambda pair: -len(pair[0]))
    found: dict[str, None] = {}
    at = 0
    while at < len(said):
        hit = next(((own, name) for own, name in known if said[at : at + len(own)] == own), None)
        if hit is not None:
            found[hit[1]] = None
        at += len(hit[0]) if hit is not None else 1
    return list(found)


def words(text: str) -> list[str]:
    """The words of a text without their endings: tiles, tiled and tiling are one, as are write_combining's parts."""
    return [ENDINGS.sub("", word) for word in re.findall(r"[a-z0-9]+|[.;:!?]", text.lower())]
