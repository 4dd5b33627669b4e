"""The scripted ideator's first pool: every technique is in it, in legal combinations, the broadest first."""

from typing import Any

import pytest

from solvers.operators.ideate import SketchesSaid
from solvers.scripted.ideate import RULES
from solvers.scripted.techniques import combined

NAMES = [f"t{number:02d}" for number in range(14)]
TASK: dict[str, Any] = {
    "techniques": [[name, f"what {name} does"] for name in NAMES],
    "needs": {"t05": ["t04"]},
    "excludes": {"t01": ["t02"], "t02": ["t01"]},
    "brief": "",
    "instruction": "",
}


def pool(seed: int, **more: Any) -> list[tuple[str, ...]]:
    none: list[str] = []
    shown = {"known": none, "refused": none, "best": none, "worst": none}
    payload = {"task": TASK, "count": 10, **shown, **more}
    said = SketchesSaid.model_validate(RULES["ideate"](payload, seed).model_dump())
    return [one.techniques for one in said.ideas][: payload["count"]]


@pytest.mark.parametrize("seed", range(8))
def test_every_technique_is_in_some_idea_of_the_first_and_all_are_legal(seed: int) -> None:
    ideas = pool(seed)
    assert len({frozenset(names) for names in ideas}) == 10
    assert {name for names in ideas[:5] for name in names} == set(NAMES)
    assert all(set(combined(names, TASK)) == set(names) for names in ideas)
    assert [len(names) for names in ideas] == sorted((len(names) for names in ideas), reverse=True)
    assert pool(seed) == ideas


def test_another_seed_is_another_pool() -> None:
    assert pool(1) != pool(2)


def test_later_half_of_the_ideas_go_on_from_the_best() -> None:
    best = {"id": "i001", "title": "T", "techniques": ["t03", "t07"], "score": 50.0}
    ideas = pool(1, known=[best], best=[best])
    assert sum({"t03", "t07"} < set(names) for names in ideas) >= 5
