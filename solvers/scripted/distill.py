"""The scripted notebook: which techniques scored how much, against their parent; and the lessons worth keeping."""

from collections.abc import Callable, Mapping
from typing import Any

from actors.row import Row
from solvers.operators.distill import Lessons, LessonSaid, Tag, plain_lesson
from solvers.operators.operator import Payload


def distill(payload: Payload, seed: int) -> Row:
    """One lesson a branch: what its techniques brought, or how they failed."""
    del seed
    return Lessons(lessons=tuple(lesson_of(row) for row in payload["attempts"]))


def lesson_of(row: Mapping[str, Any]) -> LessonSaid:
    """Better than its parent, or than the baseline where it has none: works; right and no better: fails."""
    if not row["success"]:
        return plain_lesson(row)
    before = (row["parent"] or {}).get("score") or 0.0
    gain = round((row["score"] or 0.0) - before, 1)
    what = " + ".join(row["techniques"]) or row["title"]
    text = f"{what}: scored {row['score'] or 0.0}, {abs(gain)} {'above' if gain > 0 else 'below'} what it began with."
    return LessonSaid(tag=Tag.WORKS if gain > 0 else Tag.FAILS, lesson=text, context_idea=row["idea_id"])


def consolidate(payload: Payload, seed: int) -> Row:
    """The lessons of the best ideas, then the newest of the others, each text once; in their order."""
    del seed
    best = {row["id"] for row in payload["best"]}
    firsts = {row["lesson"]: at for at, row in reversed(list(enumerate(payload["lessons"])))}
    ordered = sorted(firsts.values(), key=lambda at: (payload["lessons"][at]["context_idea"] not in best, -at))
    rows = (payload["lessons"][at] for at in sorted(ordered[: payload["cap"]]))
    return Lessons(lessons=tuple(LessonSaid.model_validate(row) for row in rows))


RULES: dict[str, Callable[[Payload, int], Row]] = {"distill": distill, "consolidate": consolidate}
