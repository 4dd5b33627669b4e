"""What the scripted manager makes of scores by techniques, and of what goes together."""

import pytest

from solvers.scripted.effects import HOPE, PRIOR, effects_of
from solvers.scripted.techniques import Task, combined

TASK: Task = {
    "techniques": [[name, f"what {name} does"] for name in "abcdef"],
    "needs": {"c": ["b"], "b": ["a"]},
    "excludes": {"d": ["a"]},
}


def row(names: str, score: float | None) -> dict[str, object]:
    return {"techniques": list(names), "score": score}


@pytest.mark.parametrize(
    ("names", "legal"),
    [
        ("ef", "ef"),
        ("ec", "eabc"),  # what is needed goes first, so that the beginning of a list is legal
        ("cb", "abc"),
        ("dce", "de"),  # what excludes goes both ways, and through what is needed
        ("ad", "a"),
        ("xf", "f"),
        ("", ""),
    ],
)
def test_what_is_combined(names: str, legal: str) -> None:
    assert combined(names, TASK) == list(legal)


def test_effects_that_add_up_are_found_however_they_were_combined() -> None:
    worth = {"a": 20.0, "e": 10.0, "f": -10.0}
    sets = ["", "a", "e", "f", "ae", "af", "ef", "aef"] * 4
    effects = effects_of([row(names, 30 + sum(worth[name] for name in names)) for names in sets], TASK)
    assert effects.of == pytest.approx(worth, abs=2.5)
    assert effects.base == pytest.approx(30, abs=2.5)
    assert effects.ordered("fea") == ["a", "e", "f"]
    assert effects.times == {"a": 16, "e": 16, "f": 16}


def test_one_idea_says_less_than_many() -> None:
    one = effects_of([row("a", 30), row("f", 30), row("e", 50)], TASK)
    many = effects_of([row("a", 30), row("f", 30)] * 9 + [row("e", 50)] * 9, TASK)
    assert 0 < one.of["e"] < many.of["e"]


def test_a_technique_that_was_never_tried_is_hoped_for_and_a_failure_is_a_score_of_nothing() -> None:
    effects = effects_of([row("e", None), row("f", 40)], TASK)
    assert effects.of["e"] < 0 < effects.of["f"]
    assert effects.promise("a") == HOPE > effects.promise("e")
    assert effects.ordered("ea") == ["a", "e"]
    assert effects.change(["e"], ["a"]) == pytest.approx(HOPE - effects.of["e"])


def test_where_nothing_was_measured_the_broadest_is_expected_to_score_most() -> None:
    effects = effects_of([], TASK)
    assert effects.predicted([]) == PRIOR
    assert effects.predicted("ef") > effects.predicted("e")
