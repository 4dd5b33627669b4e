"""How long a solution takes, and whether it is right: sections, a median, more of them where they disagree.

A section lasts 50 ms at least where the profile has room for enough cases. Every output of every section
is checked, those of the warm-up and of the edge cases too. No section is dropped: a child could make those slow that it
wants to lose.
"""

import hashlib
import statistics
import time
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
SLACK = 10  # times as long as expected is too long for a section
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


class Allowance:
    """The seconds that an execution's sections have in all, and one section has; and whether there are timed ones."""

    def __init__(self, case: float, whole: float, timed: bool = True) -> None:
        self._case, self._ends, self.timed = case, time.monotonic() + whole, timed

    def first(self) -> float:
        """For a section of which nothing is known."""
        return self._left(self._case)

    def like(self, seconds: float) -> float:
        """For a section that should take so many: much more, but not a case's most for each of its cases."""
        return self._left(max(1.0, SLACK * seconds))

    def _left(self, seconds: float) -> float:
        return max(0.01, min(seconds, self._ends - time.monotonic()))


def measure(
    keeper: Timekeeper, object: bytes, profile: Profile, lease: Lease, seeds: Seeds, allowance: Allowance
) -> Measured:
    """Load, edge cases, warm-up, timed sections; ends at the first wrong output. Raises what the timekeeper raises."""
    load, edges = keeper.load(object, profile, lease)
    sections: list[Section] = []
    for section in played(keeper, profile, edges, seeds, allowance):
        sections.append(section)
        if not section.right:
            return Measured(load=load, sections=tuple(sections))
    keeper.end()
    right = Measured(load=load, sections=tuple(sections))
    if not allowance.timed:
        return right
    times = per_case(sections)
    return right.model_copy(update={"seconds": statistics.median(times), "spread": relative_spread(times)})


def played(keeper: Timekeeper, profile: Profile, edges: int, seeds: Seeds, allowance: Allowance) -> Iterator[Section]:
    """The sections of one execution, each played when it is asked for.

    The first section of so many cases is a warm-up: it touches their memory. So is one that turns out short, after a
    warm-up that was slower.
    """
    if edges:
        yield keeper.call("edge", edges, seeds.next(), allowance.first())
    yield (section := keeper.call("warm-up", 1, seeds.next(), allowance.first()))
    timed: list[Section] = []
    while allowance.timed and len(timed) < ROUNDS * REPEATS:
        case, short = section.seconds / section.cases, too_short(section, profile)
        cases = enough(case, profile.cases) if short else section.cases
        kind = "warm-up" if short else "timed"
        section = keeper.call(kind, cases, seeds.next(), allowance.like(case * cases))
        if kind == "timed" and too_short(section, profile):
            section = section.model_copy(update={"kind": "warm-up"})
        yield section
        if section.kind == "timed":
            timed.append(section)
            if len(timed) % REPEATS == 0 and relative_spread(per_case(timed)) <= CALM:
                return


def too_short(section: Section, profile: Profile) -> bool:
    """Whether more cases would make a better section."""
    return section.seconds < SHORTEST and section.cases < profile.cases


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
