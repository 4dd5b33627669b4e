"""Distill: what an iteration's branches showed, as short tagged lessons; and the pool of lessons, kept small.

Source: AIM (arXiv 2609.38445): a lesson has a tag and the idea that it comes from; the pool is consolidated and capped.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator

from actors.row import Row
from solvers.attempt import Attempt, AttemptRole, Execution
from solvers.idea import Lesson
from solvers.operators.operator import Consult, Operator, Payload
from solvers.operators.outcome import attempt_view
from solvers.operators.said import Said
from solvers.operators.views import Shown, lessons_view, standing, task_view
from solvers.state import State

EACH = 3  # lessons of one attempt at most
WORDS = 60  # of one lesson at most
CAP = 20  # lessons in the pool at most


class Tag(StrEnum):
    """What kind of lesson it is."""

    WORKS = "works"  # it raised the score
    FAILS = "fails"  # right, but it brought nothing, or less
    ERROR = "error"  # it gave no right result, and why
    LIMIT = "limit"  # what bounds the score now, or what the task or machine does not allow
    NEXT = "next"  # what the measurements say should be tried


def first_words(text: str) -> str:
    """The first 60 words in one line: the limit is kept by code whatever a model says."""
    return " ".join(text.split()[:WORDS])


class LessonSaid(Said):
    """One lesson as a model writes it."""

    tag: Tag
    lesson: Annotated[str, AfterValidator(first_words)]
    context_idea: str


class Lessons(Said):
    """The reply of both operators."""

    lessons: tuple[LessonSaid, ...]


def problem(reply: Lessons, payload: Payload) -> str:
    """What is wrong with an iteration's lessons."""
    attempts = Counter(row["idea_id"] for row in payload["attempts"])
    said = Counter(one.context_idea for one in reply.lessons)
    for name, count in said.items():
        if name not in attempts:
            return f"context_idea {name!r} is none of this iteration's ideas: {', '.join(attempts)}"
        if count > EACH * attempts[name]:
            return f"{count} lessons come from {name}; at most {EACH * attempts[name]} may"
    return _unsaid(reply)


def unconsolidated(reply: Lessons, payload: Payload) -> str:
    """What is wrong with a consolidated pool."""
    known = {row["context_idea"] for row in payload["lessons"]}
    if len(reply.lessons) > payload["cap"]:
        return f"there are {len(reply.lessons)} lessons; at most {payload['cap']} may be kept"
    for one in reply.lessons:
        if one.context_idea not in known:
            return f"context_idea {one.context_idea!r} is the context_idea of no lesson in the pool"
    return _unsaid(reply)


def _unsaid(reply: Lessons) -> str:
    if not reply.lessons:
        return "there is no lesson at all; say at least one"
    return "" if all(one.lesson for one in reply.lessons) else "a lesson has no text"


def plain_lessons(payload: Payload) -> Lessons:
    """One lesson an attempt: what it scored, or how its last execution ended."""
    return Lessons(lessons=tuple(plain_lesson(row) for row in payload["attempts"]))


def plain_lesson(row: Mapping[str, object]) -> LessonSaid:
    """An attempt in a sentence, works where it has a score above 0."""
    name, title, score = str(row["idea_id"]), row["title"], row["score"]
    if row["success"]:
        tag = Tag.WORKS if score else Tag.FAILS
        return LessonSaid(tag=tag, lesson=f"{title}: scored {score or 0.0}.", context_idea=name)
    runs = row["executions"]
    last = runs[-1] if isinstance(runs, list) and runs else {}
    why = last.get("why") or row["error"] or last.get("verdict") or "nothing was measured"
    return LessonSaid(tag=Tag.ERROR, lesson=f"{title}: no right result ({why}).", context_idea=name)


def newest(payload: Payload) -> Lessons:
    """The newest lessons, a repeated text once: as many as may be kept, in their order."""
    kept: dict[str, Shown] = {}
    for row in reversed(payload["lessons"]):
        kept.setdefault(row["lesson"], row)
    rows = list(kept.values())[: payload["cap"]]
    return Lessons(lessons=tuple(LessonSaid.model_validate(row) for row in reversed(rows)))


DISTILL = Operator("distill", Lessons, problem, plain_lessons)
CONSOLIDATE = Operator("consolidate", Lessons, unconsolidated, newest)


async def distill(
    consult: Consult,
    state: State,
    attempts: Sequence[Attempt],
    *,
    evidence: Mapping[int, Sequence[Execution]] = {},
    cap: int = CAP,
) -> list[Lesson]:
    """This iteration's lessons; those in the pool, `State.lessons`, are what consolidation leaves of all.

    Discarded attempts teach nothing. evidence: executions by branch. In the table, kept says whether a lesson was in
    the pool when the iteration ended.
    """
    counted = [one for one in attempts if one.role is not AttemptRole.DISCARDED and one.idea_id in state.ideas]
    if not counted:
        return []
    payload = distill_payload(state, counted, evidence)
    said = await consult(DISTILL, payload, f"{state.iteration:02d}.distill")
    new = list(dict.fromkeys(_row(one, state.iteration, said.fallback) for one in said.reply.lessons))
    pool = [*state.lessons, *new]
    kept = pool if len(pool) <= cap else await consolidate(consult, state, pool, cap)
    for lesson in new:
        state.add("lessons", lesson, kept=lesson in kept)
    for lesson in kept:
        if lesson not in pool:
            state.add("lessons", lesson, kept=True)
    state.lessons = kept
    return new


class Consolidation(Row):
    """More lessons than may be kept, put together: a row of the table ``consolidations``. fallback: the newest stay."""

    iteration: int
    lessons: int
    cap: int
    kept: int
    fallback: bool


async def consolidate(consult: Consult, state: State, pool: Sequence[Lesson], cap: int) -> list[Lesson]:
    """``cap`` lessons at most that say what ``pool`` says; one that is left as it was keeps its row."""
    rows = [one.model_dump(mode="json", include={"iteration", "tag", "lesson", "context_idea"}) for one in pool]
    best, _ = standing(state)
    payload = {"task": task_view(state), "iteration": state.iteration, "cap": cap, "lessons": rows, "best": best}
    said = await consult(CONSOLIDATE, payload, f"{state.iteration:02d}.consolidate")
    as_it_was = {(one.tag, one.lesson, one.context_idea): one for one in reversed(pool)}
    kept = (
        as_it_was.get((one.tag.value, one.lesson, one.context_idea)) or _row(one, state.iteration, said.fallback)
        for one in said.reply.lessons
    )
    found = list(dict.fromkeys(kept))
    told = {"iteration": state.iteration, "lessons": len(pool), "cap": cap, "kept": len(found)}
    state.add("consolidations", Consolidation(**told, fallback=said.fallback))
    return found


def distill_payload(state: State, attempts: Sequence[Attempt], evidence: Mapping[int, Sequence[Execution]]) -> Shown:
    """What distill is shown: each attempt with what it was measured to do, and what its parent scores."""
    best, worst = standing(state)
    return {
        "task": task_view(state),
        "iteration": state.iteration,
        "attempts": [attempt_view(state, one, evidence.get(one.branch, ())) for one in attempts],
        "best": best,
        "worst": worst,
        "lessons": lessons_view(state),
    }


def _row(said: LessonSaid, iteration: int, fallback: bool) -> Lesson:
    return Lesson(
        iteration=iteration,
        tag=said.tag.value,
        lesson=said.lesson,
        context_idea=said.context_idea,
        fallback=fallback,
    )
