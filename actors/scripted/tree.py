"""The scripted question tree: a question follows the last one on its family, else the one before on its dimension.

One that comes to a new family from elsewhere opens a branch: its parent is the problem, 0.
"""

from collections.abc import Sequence

from actors.scripted.question import Form, parse
from actors.scripted.world import World

Subject = tuple[str, str]
"""A dimension and a family; "" where a question is on none."""


def subject(world: World, question: str) -> Subject:
    """What a question is about."""
    query = parse(question)
    if query is None:
        return "", ""
    family = query.phrase if query.form is Form.LINE else world.family.get((query.dimension, query.phrase), "")
    return query.dimension, family


def parents(world: World, questions: Sequence[tuple[int, str]]) -> dict[int, int]:
    """Each question's parent, by number."""
    found: dict[int, int] = {}
    last: dict[Subject, int] = {}
    before: tuple[int, str] | None = None
    for number, question in questions:
        about = subject(world, question)
        stays = before is not None and before[1] == about[0]
        found[number] = last.get(about, before[0] if before and stays else 0)
        last[about], before = number, (number, about[0])
    return found


def branches(world: World, questions: Sequence[tuple[int, str]]) -> int:
    """How many top-level branches the questions have opened."""
    return sum(parent == 0 for parent in parents(world, questions).values())
