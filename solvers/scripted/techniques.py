"""Which techniques of a task go together, as a payload tells it: what needs what, and what cannot be combined."""

from collections.abc import Iterable
from typing import Any

Task = dict[str, Any]
"""`task_view`: techniques as [id, about], needs and excludes by id."""


def closed(name: str, task: Task) -> list[str]:
    """A technique after all that it needs: so the beginning of a legal list is legal too."""
    found: dict[str, None] = {}
    waiting = [name]
    while waiting:
        one = waiting.pop(0)
        if one not in found:
            found[one] = None
            waiting += task["needs"].get(one, [])
    return list(found)[::-1]


def combined(names: Iterable[str], task: Task) -> list[str]:
    """``names`` with what they need, in order, without what excludes an earlier one; unknown ones are left out."""
    known = {name for name, _ in task["techniques"]}
    on: dict[str, None] = {}
    for name in names:
        coming = closed(name, task)
        if known.issuperset(coming) and not any(excluded(one, on, task) for one in coming):
            on |= dict.fromkeys(coming)
    return list(on)


def excluded(name: str, on: Iterable[str], task: Task) -> bool:
    """Whether a technique cannot be combined with one of those that are on."""
    return any(other in task["excludes"].get(name, []) or name in task["excludes"].get(other, []) for other in on)
