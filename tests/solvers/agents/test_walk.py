"""Coordinate search by itself: what it is sure to find, and what it never does."""

import random
from itertools import product

import pytest

from solvers.agents.walk import Walk
from solvers.tasks.technique import Choice, Parameter, Technique

SIZES = (4, 1, 3, 5)
PARAMETERS = {f"p{n}": Parameter(values=tuple(range(size)), default=0) for n, size in enumerate(SIZES)}
KNOWN = {"t": Technique(id="t", about="", parameters=PARAMETERS), "bare": Technique(id="bare", about="")}


def at(*values: int) -> Choice:
    return Choice(techniques={"t": {f"p{n}": value for n, value in enumerate(values)}, "bare": {}})


def values_of(choice: Choice) -> tuple[int, ...]:
    return tuple(int(value) for value in choice.techniques["t"].values())


@pytest.mark.parametrize("seed", range(40))
def test_parameters_that_do_not_act_on_each_other_are_settled_in_one_round(seed: int) -> None:
    draw = random.Random(seed)
    gains = [[draw.random() for _ in range(size)] for size in SIZES]
    walk = Walk(KNOWN, at(*(draw.randrange(size) for size in SIZES)))
    for _ in range(1 + sum(size - 1 for size in SIZES)):
        choice = walk.next()
        assert choice
        walk.learn((sum(gain[value] for gain, value in zip(gains, values_of(choice), strict=True)), 0.0))
    assert values_of(walk.here) == tuple(gain.index(max(gain)) for gain in gains)


@pytest.mark.parametrize("seed", range(10))
def test_on_any_landscape_nothing_is_tried_twice_and_the_best_is_held(seed: int) -> None:
    draw = random.Random(seed)
    worth = {values: draw.choice([None, draw.random()]) for values in product(*map(range, SIZES))}
    walk = Walk(KNOWN, at(0, 0, 0, 0))
    tried = []
    while (choice := walk.next()) is not None:
        tried.append(values_of(choice))
        found = worth[tried[-1]]
        walk.learn(None if found is None else (found, 0.0))
    assert len(set(tried)) == len(tried) < len(worth)
    assert walk.next() is None
    right = [values for values in tried if worth[values] is not None]
    assert values_of(walk.here) == max(right, key=lambda values: worth[values] or 0.0)


def test_without_parameters_there_is_one_choice() -> None:
    walk = Walk(KNOWN, Choice(techniques={"bare": {}}))
    assert (walk.next(), walk.next()) == (Choice(techniques={"bare": {}}), None)
