"""How long a solution takes, and whether it is right: sections, a median, more of them where they disagree.

A section lasts 50 ms at least where the profile has room for enough cases. Every output of every section
is checked, those of the warm-up and of the edge cases too. No section is dropped for being slow: a child could make
those slow that it wants to lose. One that is short after a slow warm-up is not a sample, nor are those before it.
"""

import hashlib
import random
import statistics
import time
from collections.abc import Iterator, Sequence
from math import ceil

import numpy as np

from actors.row import Row
from solvers.measuring.cores import Lease
from solvers.measuring.section import Section
from solvers.measuring.timekeeper import Loaded, Timekeeper
from solvers.tasks.task import Profile

SHORTEST = 0.05  # seconds of a section
AIM = 0.06  # what a section's length is planned for
REPEATS = 7
CHECKS = 2  # sections of edge cases in a round
ROUNDS = 3  # so many times REPEATS at most
LEAST = 10.0  # seconds that a section may take at least: a machine may stand still for a while
SLACK = 10  # times as long as expected is too long for a section
CALM = 0.02  # the spread up to which no more sections are asked for
POLICY = f"sections of {SHORTEST} to {AIM} s, {REPEATS} to {ROUNDS * REPEATS} of them, until {CALM}; {CHECKS} checks"


class Measured(Row):
    """What came of one object. ``load``: the seconds that it took to load."""

    load: float
    sections: tuple[Section, ...]

    @property
    def samples(self) -> tuple[float, ...]:
        """Seconds per case of the timed sections, after the last change of how many cases they have."""
        return per_case([section for section in self.sections if section.kind == "timed"])

    @property
    def seconds(self) -> float | None:
        """The metric; None where there are no samples, or not all is right."""
        return statistics.median(self.samples) if self.samples and not self.wrong else None

    @property
    def spread(self) -> float | None:
        """As `relative_spread`."""
        return relative_spread(self.samples) if self.samples else None

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

    def places(self) -> set[int]:
        """After which sections of a round those of edge cases stand."""
        return set(random.Random(self.next()).sample(range(REPEATS), CHECKS))


class Allowance:
    """The seconds that an execution's sections have in all, and one section has; and whether there are timed ones."""

    def __init__(self, case: float, whole: float, timed: bool = True) -> None:
        self._case, self._ends, self.timed = case, time.monotonic() + whole, timed

    def first(self) -> float:
        """For a section of which nothing is known."""
        return self._left(self._case)

    def like(self, case: float, cases: int) -> float:
        """For a section of so many cases that should take so long each: much more, but not a case's most for each."""
        return self._left(min(self._case * cases, max(LEAST, SLACK * case * cases)))

    def left(self) -> float:
        """For all that is to come; 0 where everything is spent."""
        return max(0.0, self._ends - time.monotonic())

    def _left(self, seconds: float) -> float:
        return max(0.01, min(seconds, self.left()))


def measure(
    keeper: Timekeeper, object: bytes, profile: Profile, lease: Lease, seeds: Seeds, allowance: Allowance
) -> Measured:
    """Load, edge cases, warm-up, timed sections; ends at the first wrong output. Raises what the timekeeper raises."""
    loaded = keeper.load(object, profile, lease)
    sections: list[Section] = []
    for section in played(keeper, profile, loaded, seeds, allowance):
        sections.append(section)
        if not section.right:
            break
    keeper.end()
    return Measured(load=loaded.seconds, sections=tuple(sections))


def played(
    keeper: Timekeeper, profile: Profile, loaded: Loaded, seeds: Seeds, allowance: Allowance
) -> Iterator[Section]:
    """The sections of one execution, each played when it is asked for.

    Among the timed ones, where nobody can tell, stand sections of edge cases, which are only checked. The first section
    of so many cases is a warm-up: it touches their memory. So is one that turns out short, after a warm-up that was
    slower.
    """
    if loaded.edges:
        yield keeper.call("edge", loaded.edges, seeds.next(), allowance.first())
    yield (section := keeper.call("warm-up", 1, seeds.next(), allowance.first()))
    timed: list[Section] = []
    places: set[int] = set()
    while allowance.timed and len(timed) < ROUNDS * REPEATS:
        case, short = section.seconds / section.cases, too_short(section, profile)
        cases = enough(case, profile.cases) if short else section.cases
        kind = "warm-up" if short else "timed"
        section = keeper.call(kind, cases, seeds.next(), allowance.like(case, cases))
        if kind == "timed" and too_short(section, profile):
            section = section.model_copy(update={"kind": "warm-up"})
        yield section
        if section.kind == "warm-up":
            timed.clear()
            continue
        if len(timed) % REPEATS == 0:
            places = seeds.places()
        if loaded.alike and len(timed) % REPEATS in places:
            yield keeper.call("check", cases, seeds.next(), allowance.first())
        timed.append(section)
        if len(timed) % REPEATS == 0 and (
            relative_spread(per_case(timed)) <= CALM or allowance.left() < 2 * REPEATS * section.seconds
        ):
            return


def too_short(section: Section, profile: Profile) -> bool:
    """Whether more cases would make a better section."""
    return section.seconds < SHORTEST and section.cases < profile.cases


def enough(seconds: float, most: int) -> int:
    """How many cases make a section long enough."""
    return min(most, max(1, ceil(AIM / seconds)))


def per_case(timed: list[Section]) -> tuple[float, ...]:
    """Seconds per case of the sections with as many cases as the last one."""
    return tuple(section.seconds / section.cases for section in timed if section.cases == timed[-1].cases)


def relative_spread(times: Sequence[float]) -> float:
    """Interquartile range over median."""
    low, middle, high = np.quantile(times, (0.25, 0.5, 0.75))
    return float((high - low) / middle)
