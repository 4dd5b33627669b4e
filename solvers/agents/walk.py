"""Coordinate search over the parameters of a choice: always from the best one so far, and none twice.

Tried in turn: one parameter at its next value down or up, then further away, values that were never tried first; the
same again for values that were tried beside others; two parameters a step each. After a gain all begins anew from
there, with the parameter and in the direction that brought it. Techniques stay on or off as they are.

Where parameters do not act on each other the best choice is found in 1 + the sum of (values - 1) of all parameters.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations, product
from typing import NamedTuple

from solvers.tasks.covering import with_value
from solvers.tasks.technique import Choice, Technique, Value

Worth = tuple[float, float]
"""What a right choice is worth, more is better: its score, then its metric, which tells apart what scores the same."""
STEPS = (-1, 1)


class Axis(NamedTuple):
    """One parameter, and its values in order."""

    technique: str
    parameter: str
    values: tuple[Value, ...]


class Move(NamedTuple):
    """A choice to try. axis: the parameter that it changes, the first of two; way: down or up, 0 is neither."""

    choice: Choice
    axis: int = 0
    way: int = 0


class Walk:
    """One search. `next` says what to try, `learn` what came of it. start: complete, as `Catalog.check` makes it.

    earlier: what searches before have tried; of the same techniques its values are no longer those to try first.
    """

    def __init__(
        self, techniques: Mapping[str, Technique], start: Choice, pairs: bool = True, earlier: Iterable[Choice] = ()
    ) -> None:
        self.here = start
        self._axes = [
            Axis(name, parameter, techniques[name].parameters[parameter].values)
            for name, values in start.techniques.items()
            for parameter in values
        ]
        self._pairs = pairs
        self._worth: Worth | None = None
        self._tried: set[str] = set()
        self._seen: set[tuple[int, Value]] = set()
        self._first, self._way = 0, 0
        self._trying: Move | None = None
        for choice in earlier:
            if choice.techniques.keys() == start.techniques.keys():
                self._see(choice)

    def next(self) -> Choice | None:
        """What to try; None where nothing is left."""
        fresh = (move for move in self._moves() if move.choice.label not in self._tried)
        self._trying = next(fresh, None)
        if self._trying is None:
            return None
        choice = self._trying.choice
        self._tried.add(choice.label)
        self._see(choice)
        return choice

    def _see(self, choice: Choice) -> None:
        self._seen.update((axis, self._value(axis, choice)) for axis in range(len(self._axes)))

    def learn(self, worth: Worth | None) -> None:
        """What the last one is worth; None where that is not known, or it was wrong."""
        if self._trying is None or worth is None or (self._worth is not None and worth <= self._worth):
            return
        self.here, self._worth = self._trying.choice, worth
        self._first, self._way = self._trying.axis, self._trying.way

    def _moves(self) -> Iterator[Move]:
        yield Move(self.here)
        single = list(self._single())
        yield from (move for move in single if (move.axis, self._value(move.axis, move.choice)) not in self._seen)
        yield from single
        for one, other in combinations(range(len(self._axes)), 2) if self._pairs else ():
            for ways in product(STEPS, STEPS):
                yield from self._both((one, other), ways)

    def _single(self) -> Iterator[Move]:
        """One parameter changed, by a step and then by more; that which helped last goes first."""
        axes = [*range(self._first, len(self._axes)), *range(self._first)]
        if self._way:
            yield from self._steps(self._first, (self._way,))
        for axis in axes:
            yield from self._steps(axis, STEPS)
        for axis in axes:
            yield from self._leaps(axis)

    def _value(self, axis: int, choice: Choice) -> Value:
        technique, parameter, _ = self._axes[axis]
        return choice.techniques[technique][parameter]

    def _at(self, axis: int, choice: Choice) -> int:
        return self._axes[axis].values.index(self._value(axis, choice))

    def _to(self, axis: int, place: int, choice: Choice) -> Iterator[Choice]:
        """``choice`` with a parameter at its value number ``place``, if there is one."""
        technique, parameter, values = self._axes[axis]
        if 0 <= place < len(values):
            yield with_value(choice, technique, parameter, values[place])

    def _steps(self, axis: int, ways: tuple[int, ...]) -> Iterator[Move]:
        for way in ways:
            for choice in self._to(axis, self._at(axis, self.here) + way, self.here):
                yield Move(choice, axis, way)

    def _leaps(self, axis: int) -> Iterator[Move]:
        at = self._at(axis, self.here)
        for place in sorted(range(len(self._axes[axis].values)), key=lambda place: abs(place - at)):
            for choice in self._to(axis, place, self.here):
                yield Move(choice, axis, (place > at) - (place < at))

    def _both(self, axes: tuple[int, int], ways: tuple[int, int]) -> Iterator[Move]:
        one, other = axes
        for half in self._to(one, self._at(one, self.here) + ways[0], self.here):
            for choice in self._to(other, self._at(other, half) + ways[1], half):
                yield Move(choice, one, 0)
