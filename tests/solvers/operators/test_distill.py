"""Distill: lessons of one iteration and the pool of all, within their limits whatever a manager says."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_searches import Manager, Rule, any_search, attempt, execution, idea, kept, lesson, state_of

from solvers.attempt import AttemptRole
from solvers.operators.distill import CONSOLIDATE, DISTILL, Consolidation, Lessons, LessonSaid, Tag, distill
from solvers.operators.operator import Payload
from solvers.scripted.distill import RULES

LONG = " ".join(f"word{at}" for at in range(90))


def said(*lessons: tuple[str, str]) -> Lessons:
    return Lessons(lessons=tuple(LessonSaid(tag=Tag.WORKS, lesson=text, context_idea=name) for name, text in lessons))


def careless(seed: int) -> dict[str, Rule]:
    draws = Random(seed)

    def rule(payload: Payload, _: int) -> Lessons:
        rows = payload.get("attempts") or payload["lessons"]
        names = [row.get("idea_id") or row["context_idea"] for row in rows]
        names += ["i999"] if draws.random() < 0.2 else []
        return said(*((draws.choice(names), draws.choice([LONG, "short"])) for _ in range(draws.randint(0, 8))))

    return {"distill": rule, "consolidate": rule}


@given(st.integers(0, 10**6), st.sampled_from([1, 3, 20]), st.sampled_from(["careless", "scripted", "silent"]))
@settings(max_examples=100, deadline=None)
async def test_whatever_a_manager_says_the_limits_hold(seed: int, cap: int, kind: str) -> None:
    state, _, _ = any_search(seed)
    state.iteration = len(state.done)
    attempts = [one for one in state.attempts if one.iteration == state.iteration]
    state.lessons = state.lessons[:cap]
    counted = [one for one in attempts if one.role is not AttemptRole.DISCARDED]
    manager = Manager({"careless": careless(seed), "scripted": RULES, "silent": {}}[kind], seed)
    new = await distill(manager, state, attempts, evidence=state.evidence, cap=cap)
    assert bool(new) == bool(counted)
    for name in {one.context_idea for one in new}:
        assert sum(one.context_idea == name for one in new) <= 3 * sum(one.idea_id == name for one in counted)
    assert len(state.lessons) <= cap
    assert len(set(state.lessons)) == len(state.lessons)
    for one in [*new, *state.lessons]:
        assert one.context_idea in state.ideas
        assert one.tag in list(Tag)
        assert 0 < len(one.lesson.split()) <= 60
    if kind == "scripted":
        assert manager.refused == {}
        assert not any(one.fallback for one in new)


@pytest.mark.parametrize(
    ("lessons", "wrong"),
    [
        ([("i001", "a")], ""),
        ([("i001", "a"), ("i001", "b"), ("i001", "c"), ("i002", "d")], ""),
        ([("i001", "a"), ("i001", "b"), ("i001", "c"), ("i001", "d")], "4 lessons come from i001; at most 3 may"),
        ([("i003", "a")], "'i003' is none of this iteration's ideas: i001, i002"),
        ([("i001", "  ")], "a lesson has no text"),
        ([], "there is no lesson at all"),
    ],
)
def test_what_is_wrong_with_lessons_is_said(lessons: list[tuple[str, str]], wrong: str) -> None:
    found = DISTILL.problem(said(*lessons), {"attempts": [{"idea_id": "i001"}, {"idea_id": "i002"}]})
    assert wrong in found
    assert bool(found) == bool(wrong)


def test_what_is_wrong_with_a_shorter_pool_is_said() -> None:
    payload = {"cap": 2, "lessons": [{"context_idea": "i001"}, {"context_idea": "i002"}, {"context_idea": "i001"}]}
    assert CONSOLIDATE.problem(said(("i001", "a"), ("i002", "b")), payload) == ""
    assert "3 lessons; at most 2" in CONSOLIDATE.problem(said(*[("i001", "a")] * 3), payload)
    assert "'i003' is the context_idea of no lesson" in CONSOLIDATE.problem(said(("i003", "a")), payload)


async def test_evidence_is_shown_and_discarded_attempts_are_not() -> None:
    state = state_of(idea(1), idea(2), idea(3))
    state.attempts = [
        attempt(1, "i001", 0.5),
        attempt(2, "i002", None, error="the solver gave up"),
        attempt(3, "i003", 0.9, role=AttemptRole.DISCARDED),
    ]
    runs = [execution(1, index, score) for index, score in enumerate((0.1, 0.5, None, 0.3, 0.2, 0.25), 1)]
    evidence = {1: runs, 2: [execution(2, 1, None, "case 3 is wrong")]}
    manager = Manager()
    new = await distill(manager, state, state.attempts, evidence=evidence)
    first, second = manager.asked["01.distill"]["attempts"]
    assert (first["score"], second["score"]) == (50.0, None)
    assert [run["index"] for run in first["executions"]] == [2, 3, 4, 5, 6]  # the best and the newest four
    prompt = manager.prompts["01.distill"]
    assert "1. try 1: wrong; case 3 is wrong" in prompt
    assert "it ended with an error: the solver gave up" in prompt
    assert "Title 3" not in prompt
    assert [(one.tag, one.lesson, one.context_idea, one.fallback) for one in new] == [
        ("works", "Title 1: scored 50.0.", "i001", True),
        ("error", "Title 2: no right result (case 3 is wrong).", "i002", True),
    ]


async def test_nothing_counted_asks_nothing() -> None:
    state = state_of(idea(1))
    state.lessons = [lesson("i001")]
    lost = [attempt(1, "i001", 0.5, role=AttemptRole.DISCARDED), attempt(2, None, 0.5)]
    manager = Manager()
    assert await distill(manager, state, lost) == []
    assert manager.asked == {}
    assert state.lessons == [lesson("i001")]


async def test_the_pool_is_consolidated_above_the_cap_and_the_table_says_what_was_kept() -> None:
    state = state_of(idea(1), idea(2))
    old = [lesson("i001", "old one", iteration=0), lesson("i001", "old two", iteration=0)]
    state.lessons = list(old)
    shorter = said(("i001", "old two"), ("i001", "both in one"), ("i002", "new one"))
    rules: dict[str, Rule] = {
        "distill": lambda payload, seed: said(("i002", "new one"), ("i002", "new two")),
        "consolidate": lambda payload, seed: shorter,
    }
    manager = Manager(rules)
    new = await distill(manager, state, [attempt(1, "i002", 0.4)], cap=3)
    assert [one.lesson for one in new] == ["new one", "new two"]
    assert [(one.lesson, one.iteration) for one in state.lessons] == [
        ("old two", 0),
        ("both in one", 1),
        ("new one", 1),
    ]
    assert state.lessons[0] is old[1]
    table = [(row, more) for name, row, more in state.rows if name == "lessons"]
    assert table == [(new[0], {"kept": True}), (new[1], {"kept": False}), (state.lessons[1], {"kept": True})]
    assert manager.asked.keys() == {"01.distill", "01.consolidate"}
    (told,) = [row for name, row, _ in state.rows if name == "consolidations"]
    assert told == Consolidation(iteration=1, lessons=4, cap=3, kept=3, fallback=False)


async def test_without_a_manager_the_newest_lessons_stay_each_text_once() -> None:
    state = state_of(idea(1), idea(2))
    state.lessons = [lesson("i001", text) for text in ("a", "b", "a", "c")]
    await distill(Manager(), state, [attempt(1, "i002", 0.4)], cap=3)
    assert [one.lesson for one in state.lessons] == ["a", "c", "Title 2: scored 40.0."]


async def test_the_pool_within_the_cap_is_left_alone() -> None:
    state = state_of(idea(1))
    manager = Manager(RULES)
    state.attempts = [attempt(1, "i001", 0.25)]
    await distill(manager, state, state.attempts)
    assert manager.asked.keys() == {"01.distill"}
    assert [one.lesson for one in state.lessons] == ["t1: scored 25.0, 25.0 above what it began with."]
    assert kept(state, "lessons") == state.lessons


def test_a_long_lesson_is_cut_and_a_strange_key_is_left_out() -> None:
    read = LessonSaid.model_validate({"tag": "next", "lesson": LONG, "context_idea": "i001", "mood": "fine"})
    assert read.lesson.split() == LONG.split()[:60]
