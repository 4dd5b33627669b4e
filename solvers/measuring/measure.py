"""How long a solution takes, and whether it is right: sections, a median, more of them where they disagree.

A section lasts 50 ms at least where the profile has room for enough cases. Every output of every section
is checked, those of the warm-up and of the edge cases too. No section is dropped: a child could make those slow that it
wants to lose.
"""

import hashlib
import statistics
from collections.abc import Iterator
from math import ceil
from typing import Annotated

import numpy as np
from pydantic import Field

from actors.row import Row
from solvers.measuring.cores import Lease
from solvers.measuring.section import Section
from solvers.measuring.timekeeper import Timekeeper
from solvers.tasks.task import Profile

SHORTEST = 0.05  # seconds of a section
AIM = 0.06  # what a section's length is planned for
REPEATS = 7
ROUNDS = 3  # so many times REPEATS at most
CALM = 0.02  # the spread up to which no more sections are asked for
Fraction = Annotated[float, Field(ge=0)]


class Measured(Row):
    """What came of one object. ``seconds`` is the median per case; ``spread`` the interquartile range over it."""

    load: float
    sections: tuple[Section, ...]
    seconds: float | None = None
    spread: Fraction | None = None

    @property
    def wrong(self) -> Section | None:
        """The first section that was not right."""
        return next((section for section in self.sections if not section.right), None)


class Seeds:
    """A seed for each section from one master seed; without the master they tell nothing about each other."""

    def __init__(self, master: str) -> None:
        self._master, self._drawn = master, 0

    def next(self) -> str:
        """64 hex digits."""
        self._drawn += 1
        return hashlib.sha256(f"{self._master}/{self._drawn}".encode()).hexdigest()


def measure(keeper: Timekeeper, object: bytes, profile: Profile, lease: Lease, seeds: Seeds) -> Measured:
    """Load, edge cases, warm-up, timed sections; ends at the first wrong output. Raises what the timekeeper raises."""
    load, edges = keeper.load(object, profile, lease)
    sections: list[Section] = []
    for section in played(keeper, profile, edges, seeds):
        sections.append(section)
        if not section.right:
            return Measured(load=load, sections=tuple(sections))
    keeper.end()
    times = per_case(sections)
    return Measured(
        load=load, sections=tuple(sections), seconds=statistics.median(times), spread=relative_spread(times)
    )


def played(keeper: Timekeeper, profile: Profile, edges: int, seeds: Seeds) -> Iterator[Section]:
    """The sections of one execution, each played when it is asked for."""
    if edges:
        yield keeper.call("edge", edges, seeds.next())
    yield (first := keeper.call("warm-up", 1, seeds.next()))
    cases = enough(first.seconds, profile.cases)
    if cases > 1:
        yield (second := keeper.call("warm-up", cases, seeds.next()))
        cases = enough(second.seconds / cases, profile.cases)
    timed: list[Section] = []
    for _ in range(ROUNDS):
        for _ in range(REPEATS):
            yield (section := keeper.call("timed", cases, seeds.next()))
            timed.append(section)
        if relative_spread(per_case(timed)) <= CALM:
            return


def enough(seconds: float, most: int) -> int:
    """How many cases make a section long enough."""
    return min(most, max(1, ceil(AIM / seconds)))


def per_case(sections: list[Section]) -> list[float]:
    """Seconds per case of the timed sections."""
    return [section.seconds / section.cases for section in sections if section.kind == "timed"]


def relative_spread(times: list[float]) -> float:
    """Interquartile range over median."""
    low, middle, high = np.quantile(times, (0.25, 0.5, 0.75))
    return float((high - low) / middle)
