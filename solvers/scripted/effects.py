"""What each technique adds to a score, by all that was measured: main effects, and how far they can be trusted.

A score goes with the logarithm of the time, so effects add up where techniques do not act on each other. Where they do,
this is wrong: what was measured of a parent goes before what is expected of its parts.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from solvers.scripted.techniques import Task, combined

PRIOR = 30.0  # what an idea is expected to score where nothing is known; in points of a score x 100, as all here
HOPE = 6.0  # what a technique that was never tried is expected to add; a known technique is in a catalogue for a reason
DOUBT = 1.0  # ideas without an effect that count beside those that have the technique
SWEEPS = 30


@dataclass(frozen=True)
class Effects:
    """base: of no technique. of: what a technique adds, for those that were tried; times: in how many ideas."""

    base: float
    of: dict[str, float]
    times: dict[str, int]

    def promise(self, name: str) -> float:
        """What a technique is hoped to add: its effect, and more the less often it was tried."""
        return self.of.get(name, 0.0) + HOPE / (1 + self.times.get(name, 0))

    def ordered(self, names: Iterable[str]) -> list[str]:
        """The most promising first."""
        return sorted(names, key=self.promise, reverse=True)

    def change(self, before: Iterable[str], after: Iterable[str]) -> float:
        """What is gained by going from some techniques to others."""
        old, new = set(before), set(after)
        return sum(self.promise(one) for one in sorted(new - old)) - sum(
            self.of.get(one, 0.0) for one in sorted(old - new)
        )

    def predicted(self, names: Iterable[str]) -> float:
        """The score of an idea without a parent."""
        return self.base + sum(self.promise(name) for name in names)


def effects_of(measured: Sequence[dict[str, Any]], task: Task) -> Effects:
    """By least squares, drawn to nothing where there is little evidence. measured: `measured_view`; a failure is 0."""
    rows = [(combined(row["techniques"], task), row["score"] or 0.0) for row in measured]
    if not rows:
        return Effects(PRIOR, {}, {})
    base = fmean(score for _, score in rows)
    of = {name: 0.0 for names, _ in rows for name in names}
    for _ in range(SWEEPS):
        for name in of:
            left = [score - base - sum(of[one] for one in own if one != name) for own, score in rows if name in own]
            of[name] = sum(left) / (len(left) + DOUBT)
        base = fmean(score - sum(of[one] for one in own) for own, score in rows)
    return Effects(base, of, {name: sum(name in own for own, _ in rows) for name in of})
