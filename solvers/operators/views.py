"""What operators are shown of a search: plain JSON values, field names as in the rows. Scores stand x 100."""

import math
import re
from typing import Any

from solvers.idea import Idea
from solvers.state import State

WORD = re.compile(r"\w+")
MOST_SHOWN = 3  # of the best tried ideas, and of the worst

Shown = dict[str, Any]


def percent(score: float | None) -> float | None:
    """A score as models read it; None stays None."""
    return None if score is None else round(100 * score, 1)


def normal(title: str) -> str:
    """A title as it is compared: case, punctuation and spaces do not matter."""
    return " ".join(WORD.findall(title.replace("_", " ").casefold())) or title


def task_view(state: State) -> Shown:
    """The task: name, title, instruction, brief, language, scale, techniques as [id, about], their needs, excludes."""
    return state.task.model_dump(mode="json")


def idea_view(idea: Idea) -> Shown:
    """An idea in full, and where it comes from; nothing of what came of it."""
    return idea.model_dump(mode="json", exclude={"iteration", "sibling_referenced", "lesson_context_idea"})


def pool_view(state: State) -> list[Shown]:
    """A row per idea, in order of arrival: what it is, and iteration, score and success of its latest attempt.

    tried: whether a branch has worked on it; a discarded attempt leaves that and nothing else.
    """
    latest = {one.idea_id: one for one in state.counted}
    tried = state.tried()
    shown = {"id", "source", "parent_id", "title", "abstract", "techniques"}
    rows = []
    for name, idea in state.ideas.items():
        last = latest.get(name)
        came = (last.iteration, percent(last.score), last.success) if last else (None, None, None)
        result = dict(zip(("iteration", "score", "success"), came, strict=True))
        rows.append({**idea.model_dump(mode="json", include=shown), "tried": name in tried, **result})
    return rows


def standing(state: State) -> tuple[list[Shown], list[Shown]]:
    """The best tried ideas, best first, and the worst of the others, worst first: id, title, techniques, score.

    An idea counts by its best attempt. No score is a failure: among the worst, never among the best.
    """
    counted = {one.idea_id for one in state.counted}
    rows = []
    for name, idea in state.ideas.items():
        if name in counted:
            best = state.best_of(name)
            score = percent(best.score) if best else None
            rows.append(idea.model_dump(mode="json", include={"id", "title", "techniques"}) | {"score": score})
    rows.sort(key=lambda row: -math.inf if row["score"] is None else row["score"], reverse=True)
    best_rows = [row for row in rows if row["score"] is not None][:MOST_SHOWN]
    rest = rows[len(best_rows) :]
    return best_rows, rest[::-1][:MOST_SHOWN]


def measured_view(state: State) -> list[Shown]:
    """What combinations of techniques brought: techniques and best score of each idea that counts, None a failure.

    For the scripted manager, which has nothing else to go by; no template shows it, since the paper's operators do not
    see it.
    """
    counted = {one.idea_id for one in state.counted}
    rows = []
    for name, idea in state.ideas.items():
        if name in counted and idea.techniques:
            best = state.best_of(name)
            rows.append({"techniques": list(idea.techniques), "score": percent(best.score) if best else None})
    return rows


def lessons_view(state: State) -> list[Shown]:
    """The lessons in the pool: tag, lesson, and the idea that each comes from."""
    return [lesson.model_dump(mode="json", include={"tag", "lesson", "context_idea"}) for lesson in state.lessons]
