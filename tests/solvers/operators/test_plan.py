"""The resource planner: plans add up exactly, the past stands, and every iteration has a legal number of branches."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_searches import Manager, Rule, attempt, cluster, idea, kept, rank, state_of

from solvers.assignment import Shares, shares
from solvers.operators.allocate import PLAN, Plan, PlanSaid, allocate, fixed_plan, repeated
from solvers.operators.operator import Payload
from solvers.scripted.plan import RULES
from solvers.state import State


def begun(branches: int, iterations: int, *done: int) -> State:
    state = state_of(idea(1), branches=branches, iterations=iterations)
    state.done, state.iteration = list(done), len(done) + 1
    return state


@st.composite
def states(draw: st.DrawFn) -> State:
    """Some iterations done, of any legal size, with or without something left."""
    branches, iterations = draw(st.integers(1, 8)), draw(st.integers(1, 6))
    state = begun(branches, iterations)
    for _ in range(draw(st.integers(0, 6))):
        if state.branches_left:
            most = min(state.shares.most if state.done else branches, state.branches_left)
            state.done.append(draw(st.integers(1, most)))
    state.iteration = len(state.done) + 1
    return state


def careless(seed: int) -> dict[str, Rule]:
    draws = Random(seed)

    def rule(payload: Payload, _: int) -> PlanSaid:
        right = RULES["plan"](payload, 0).model_dump()["plan"]
        plan = list(right)
        for _ in range(draws.randint(0, 2)):
            plan[draws.randrange(len(plan))] += draws.choice([-1, 1, 3])
        return PlanSaid(rationale="", plan=tuple(plan))

    return {"plan": rule}


@given(states(), st.integers(0, 10**6), st.sampled_from(["careless", "scripted", "silent"]))
async def test_every_plan_is_exact_whatever_a_manager_says(state: State, seed: int, kind: str) -> None:
    manager = Manager({"careless": careless(seed), "scripted": RULES, "silent": {}}[kind])
    plan = await allocate(manager, state)
    assert sum(plan) == state.shares.total
    assert plan[: len(state.done)] == state.done
    assert all(1 <= count <= state.shares.most for count in plan)
    assert (len(plan) > len(state.done)) == (state.branches_left > 0)
    if state.branches_left:
        (row,) = kept(state, "plans")
        assert isinstance(row, Plan)
        assert (list(row.plan), row.after_iteration) == (plan, len(state.done))
        assert row.fallback == (f"{state.iteration:02d}.plan" in manager.asked and kind == "silent") or manager.refused
    if kind == "scripted":
        assert manager.refused == {}


@given(st.integers(0, 60), st.integers(1, 9))
def test_what_is_left_is_repeated_without_a_small_rest_where_it_can_be_helped(left: int, branches: int) -> None:
    counts = repeated(left, branches)
    assert sum(counts) == left
    assert all(1 <= count <= max(5, branches) for count in counts)
    if left >= min(3, branches):
        assert all(count >= min(3, branches) for count in counts)


@pytest.mark.parametrize(
    ("branches", "iterations", "done", "plan"),
    [
        (5, 5, (5,), [5, 5, 5, 5, 5]),
        (5, 4, (5, 4), [5, 4, 5, 3, 3]),  # 11 = 5 + 5 + 1: the last two share
        (5, 4, (5, 3), [5, 3, 5, 4, 3]),
        (3, 5, (3, 2), [3, 2, 3, 3, 4]),  # 10 = 3 + 3 + 3 + 1: four at once is allowed, a branch by itself is none
        (8, 3, (8, 7), [8, 7, 5, 4]),
        (5, 5, (2,), [2, 5, 5, 5, 5, 3]),  # three of the first five came back
        (5, 5, (5, 5, 5, 5, 3), [5, 5, 5, 5, 3, 2]),
        (1, 4, (1,), [1, 1, 1, 1]),
        (2, 4, (1, 2), [1, 2, 2, 3]),
    ],
)
async def test_without_a_manager(branches: int, iterations: int, done: tuple[int, ...], plan: list[int]) -> None:
    assert await allocate(Manager(), begun(branches, iterations, *done)) == plan


@pytest.mark.parametrize(
    ("total", "done", "plan"),
    [
        ((5, 5), (5,), [5, 4, 4, 3, 3, 3, 3]),  # the paper's, for 25
        ((5, 4), (5,), [5, 3, 3, 3, 3, 3]),  # and for 20
        ((5, 3), (5,), [5, 4, 3, 3]),
        ((5, 3), (5, 3, 5), [5, 3, 5, 2]),
        ((5, 3), (5, 5), [5, 5, 5]),
        ((3, 5), (3, 3), [3, 3, 3, 3, 3]),
        ((8, 3), (8,), [8, 4, 3, 3, 3, 3]),
    ],
)
async def test_the_scripted_planner(total: tuple[int, int], done: tuple[int, ...], plan: list[int]) -> None:
    assert await allocate(Manager(RULES), begun(*total, *done)) == plan


@pytest.mark.parametrize(
    ("plan", "wrong"),
    [
        ((5, 4, 6, 5, 5), "an iteration has 1 to 5 branches, not 6"),
        ((5, 4, 0, 5, 5, 5), "an iteration has 1 to 5 branches, not 0"),
        ((5, 5, 5, 5, 5), "the plan must begin with [5, 4]"),
        ((5,), "the plan must begin with [5, 4]"),
        ((5, 4, 5, 5, 5), "the plan adds up to 24; 25 it must be, so what follows [5, 4] adds up to 16"),
        ((5, 4), "the plan adds up to 9"),
        ((5, 4, 5, 5, 5, 1), ""),
        ((5, 4, 4, 4, 4, 4), ""),
    ],
)
async def test_what_is_wrong_with_a_plan_is_said(plan: tuple[int, ...], wrong: str) -> None:
    manager = Manager()
    await allocate(manager, begun(5, 5, 5, 4))
    found = PLAN.problem(PlanSaid(rationale="", plan=plan), manager.asked["03.plan"])
    assert wrong in found
    assert bool(found) == bool(wrong)


async def test_the_first_iteration_is_pinned_and_the_end_needs_no_planner() -> None:
    manager = Manager()
    assert await allocate(manager, begun(5, 4)) == [5, 5, 5, 5]
    assert await allocate(manager, begun(5, 2, 5, 4)) == [5, 4, 1]
    assert await allocate(manager, begun(5, 2, 5, 5)) == [5, 5]
    assert manager.asked == {}
    assert fixed_plan(shares(60, 5, 4)) == [5, 5, 5, 5]
    assert sum(fixed_plan(Shares(executions=60, branches=3, iterations=5))) == 15


async def test_the_planner_is_told_where_the_search_stands() -> None:
    state = begun(5, 4, 3)
    state.welcome([idea(2), idea(3)])
    state.attempts = [attempt(1, "i001", 0.6), attempt(2, "i002", None)]
    for row in (cluster(1, "i001"), cluster(2, "i002", "i003")):
        state.add("clusters", row)
    for placed in (rank(1, None, 2), rank(2, None, 1), rank(2, "i003", 1)):
        state.add("ranks", placed)
    manager = Manager()
    await allocate(manager, state)
    shown = manager.asked["02.plan"]
    assert (shown["best_score"], shown["target"], shown["left"], shown["unevaluated"]) == (60.0, 80.0, 17, 1)
    assert [(row["index"], row["rank"], row["best"]) for row in shown["clusters"]] == [(1, 2, 60.0), (2, 1, None)]
    assert '"plan": [3, <number>, ...]' in manager.prompts["02.plan"]
    assert "adds up to exactly 17" in manager.prompts["02.plan"]
