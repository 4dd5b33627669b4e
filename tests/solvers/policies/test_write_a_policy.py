"""docs/write_a_policy.md: its examples run, keep to the seam, and do what the page says; it leaves out no field."""

import re
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from policy_search import Fallbacks, search, sizes, state

from actors.row import Row
from solvers.assignment import Assignment, Shares
from solvers.attempt import Attempt
from solvers.idea import Idea
from solvers.operators.operator import Operator
from solvers.policies.policy import Policy
from solvers.state import Brief, State

PAGE = (Path(__file__).parents[3] / "docs" / "write_a_policy.md").read_text()


@pytest.fixture(name="greedy")
def example() -> Callable[..., Policy]:
    room = written(0)
    return lambda: room["Greedy"](room["GreedySettings"](), Fallbacks())


def written(number: int) -> dict[str, Any]:
    """What a block of code on the page defines."""
    room: dict[str, Any] = {"__name__": "written"}
    code = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)[number]
    exec(compile(code, "write_a_policy.md", "exec"), room)
    return room


def test_the_page_s_operator_says_what_is_wrong_and_its_fallback_stands() -> None:
    pick: Operator[Any] = written(1)["PICK"]
    payload = {"attempts": [{"branch": 1, "score": None}, {"branch": 2, "score": 30.0}]}
    assert pick.fallback(payload).branch == 2
    assert pick.problem(pick.fallback(payload), payload) == ""
    reply = pick.reply(branch=7, rationale="")
    assert pick.problem(reply, payload) == "branch 7 is none of [1, 2]"


@pytest.mark.parametrize("kind", [Assignment, Attempt, Brief, Idea, Shares])
def test_the_page_names_every_field(kind: type[Row]) -> None:
    assert [name for name in kind.model_fields if f"`{name}`" not in PAGE] == []


def test_the_page_names_all_that_the_state_has() -> None:
    own = [field.name for field in fields(State)] + [name for name in vars(State) if not name.startswith("_")]
    assert [name for name in own if not re.search(rf"`{name}\b", PAGE)] == []


async def test_the_example_drafts_first_and_then_improves_the_best_code(greedy: Callable[..., Policy]) -> None:
    at = state()
    made = await search(greedy(), at)
    assert sizes(made) == [5] * 5
    assert [one.operator for one in made[:5]] == ["draft"] * 5
    improved = [one for one in made if one.operator == "improve"]
    assert 10 < len(improved) < 20
    for one in improved:
        past = [was for was in at.attempts if was.eligible and was.iteration < one.iteration]
        assert one.parents == (max(past, key=lambda was: was.score or 0.0).branch,)


async def test_the_example_does_the_same_again_and_else_what_another_seed_says(greedy: Callable[..., Policy]) -> None:
    first, again, other = [await search(greedy(), state(seed)) for seed in (0, 0, 1)]
    assert first == again
    assert [one.operator for one in first] != [one.operator for one in other]


def test_the_page_names_every_policy_that_there_is() -> None:
    folder = Path(__file__).parents[3] / "conf" / "policy"
    assert all(f"\n| {path.stem} |" in PAGE for path in folder.glob("*.yaml"))


def test_the_page_says_how_each_other_policy_would_sit_on_the_seam() -> None:
    for name in "aide ai_scientist_v2 aira_evo aira_mcts adaevolve evox deep_scientist arbor".split():
        assert PAGE.count(f"\n**{name}.**") == 1
