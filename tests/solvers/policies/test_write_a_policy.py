"""docs/write_a_policy.md: its example runs, keeps to the seam, and does what the page says of it."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from policy_search import search, sizes, state

from solvers.policies.policy import Policy

PAGE = (Path(__file__).parents[3] / "docs" / "write_a_policy.md").read_text()


@pytest.fixture(name="greedy")
def example() -> Callable[..., Policy]:
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    room: dict[str, Callable[..., Policy]] = {}
    exec(compile(code, "write_a_policy.md", "exec"), room)
    return room["Greedy"]


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
