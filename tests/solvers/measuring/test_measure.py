"""The policy of sections, with a timekeeper that says what a test wants."""

import re
from collections.abc import Iterator
from itertools import chain, repeat
from typing import cast

import pytest

from solvers.measuring.cores import Lease
from solvers.measuring.measure import Allowance, Measured, Seeds, enough, measure, relative_spread
from solvers.measuring.section import Section
from solvers.measuring.timekeeper import Loaded, Timekeeper
from solvers.tasks.task import Profile

LEASE = Lease(core=1, siblings=(1,), waited=0.0, shared=False)


class Told:
    """A timekeeper whose cases take the seconds that it is told, one number for each section."""

    def __init__(self, seconds: Iterator[float], edges: int = 3, wrong: int = -1, alike: int = 0) -> None:
        self.seconds, self.edges, self.wrong, self.alike = seconds, edges, wrong, alike
        self.called: list[tuple[str, int, str]] = []
        self.limits: list[float] = []
        self.ended = False

    def load(self, object: bytes, profile: Profile, lease: Lease) -> Loaded:
        return Loaded(0.001, self.edges, self.alike)

    def call(self, kind: str, cases: int, seed: str, limit: float) -> Section:
        self.called.append((kind, cases, seed))
        self.limits.append(limit)
        right = len(self.called) - 1 != self.wrong
        took = next(self.seconds) * cases
        why = None if right else "not so"
        return Section(kind=kind, seed=seed, cases=cases, seconds=took, cpu=took, right=right, case=0, why=why)

    def end(self) -> str:
        self.ended = True
        return ""


def measured(told: Told, cases: int = 64, whole: float = 900.0) -> Measured:
    profile = Profile(parameters={}, cases=cases)
    return measure(cast(Timekeeper, told), b"", profile, LEASE, Seeds("master"), Allowance(case=5.0, whole=whole))


def kinds(told: Told) -> list[tuple[str, int]]:
    return [(kind, cases) for kind, cases, _ in told.called]


def test_a_fast_solution_gets_sections_of_many_cases() -> None:
    told = Told(repeat(0.01))
    found = measured(told)
    assert kinds(told) == [("edge", 3), ("warm-up", 1), ("warm-up", 6), *[("timed", 6)] * 7]
    assert (found.seconds, found.spread) == (pytest.approx(0.01), pytest.approx(0.0))
    assert told.ended


def test_a_slow_one_has_a_case_to_itself() -> None:
    told = Told(repeat(2.0), edges=0)
    assert measured(told).seconds == 2.0
    assert kinds(told) == [("warm-up", 1), *[("timed", 1)] * 7]


def test_where_samples_disagree_there_are_more_of_them_and_none_is_dropped() -> None:
    told = Told(chain(repeat(1.0, 2), *([1.0, 1.2, 1.0, 1.4, 1.0, 1.3, 1.1] for _ in range(3))))
    found = measured(told)
    assert len([kind for kind, _ in kinds(told) if kind == "timed"]) == 21
    assert found.seconds == 1.1
    assert found.spread == pytest.approx(0.3 / 1.1, rel=0.2)


def test_a_second_round_ends_it_where_they_agree_after_all() -> None:
    told = Told(chain(repeat(1.0, 2), [1.0, 1.5, 1.0, 1.5, 1.0, 1.5, 1.0], repeat(1.0)))
    assert len(measured(told).samples) == 14


@pytest.mark.parametrize("wrong", [0, 1, 2, 5])
def test_the_first_wrong_output_ends_it(wrong: int) -> None:
    told = Told(repeat(0.01), wrong=wrong)
    found = measured(told)
    assert len(told.called) == wrong + 1
    assert (found.seconds, found.wrong and found.wrong.why) == (None, "not so")
    assert told.ended  # its child does not stay, with all its memory, until somebody loads another


def test_every_section_has_a_seed_of_its_own_that_the_master_gives_again() -> None:
    first, again = Told(repeat(0.01)), Told(repeat(0.01))
    measured(first)
    measured(again)
    seeds = [seed for _, _, seed in first.called]
    assert len(set(seeds)) == len(seeds)
    assert all(re.fullmatch("[0-9a-f]{64}", seed) for seed in seeds)
    assert first.called == again.called
    assert Seeds("another").next() != Seeds("master").next()


def test_a_warm_up_that_was_slow_does_not_make_sections_short() -> None:
    told = Told(chain([0.0, 1.0], repeat(0.002)))
    found = measured(told)
    assert kinds(told)[:4] == [("edge", 3), ("warm-up", 1), ("timed", 1), ("warm-up", 30)]
    assert [section.kind for section in found.sections] == ["edge", *["warm-up"] * 3, *["timed"] * 7]
    assert {section.cases for section in found.sections if section.kind == "timed"} == {30}


def test_what_was_sampled_before_a_short_section_is_no_sample() -> None:
    told = Told(chain([0.0, 0.07, 0.07, 0.07, 0.01], repeat(0.002)))
    found = measured(told)
    assert kinds(told)[:6] == [("edge", 3), ("warm-up", 1), *[("timed", 1)] * 3, ("warm-up", 6)]
    assert found.samples == pytest.approx([0.002] * 7)


def test_where_there_is_no_room_for_more_cases_a_short_section_has_to_do() -> None:
    told = Told(repeat(0.001))
    assert measured(told, cases=4).seconds == 0.001
    assert kinds(told) == [("edge", 3), ("warm-up", 1), ("warm-up", 4), *[("timed", 4)] * 7]


def test_a_section_has_ten_times_what_is_expected_and_ten_seconds_at_least_but_not_more_than_its_cases_have() -> None:
    allowance = Allowance(case=5.0, whole=900.0)
    assert allowance.first() == 5.0
    assert allowance.like(case=3.0, cases=20) == 100.0  # a case's most for each
    assert allowance.like(case=2.0, cases=20) == 100.0
    assert allowance.like(case=0.1, cases=20) == 20.0
    assert allowance.like(case=0.003, cases=20) == 10.0  # a machine that stands still for a second is nobody's fault
    spent = Allowance(case=5.0, whole=0.0)
    assert (spent.first(), spent.like(1.0, 1), spent.left()) == (0.01, 0.01, 0.0)


def test_no_more_rounds_than_there_is_time_for() -> None:
    unsteady = [1.0, 1.2, 1.0, 1.4, 1.0, 1.3, 1.1]
    told = Told(chain(repeat(1.0, 2), *(unsteady for _ in range(3))))
    found = measured(told, whole=15.0)
    assert len(found.samples) == 7
    assert found.seconds == 1.1


def test_edge_cases_as_large_as_timed_ones_come_at_places_that_the_seed_gives() -> None:
    told = Told(repeat(0.01), alike=2)
    found = measured(told)
    places = [kind for kind, _ in kinds(told)][3:]
    assert places.count("timed") == 7
    assert places.count("check") == 2
    assert {cases for kind, cases in kinds(told)[3:]} == {6}  # nothing tells them apart
    assert len(found.samples) == 7
    again = Told(repeat(0.01), alike=2)
    measured(again)
    assert kinds(again) == kinds(told)
    profile, orders = Profile(parameters={}, cases=64), set()
    for master in "abcdef":
        told = Told(repeat(0.01), alike=2)
        measure(cast(Timekeeper, told), b"", profile, LEASE, Seeds(master), Allowance(5.0, 900.0))
        orders.add(tuple(kind for kind, _ in kinds(told)))
    assert len(orders) > 3


def test_without_timed_sections_it_is_only_asked_whether_it_is_right() -> None:
    told = Told(repeat(0.01))
    profile = Profile(parameters={}, cases=64)
    found = measure(cast(Timekeeper, told), b"", profile, LEASE, Seeds("m"), Allowance(5.0, 900.0, timed=False))
    assert kinds(told) == [("edge", 3), ("warm-up", 1)]
    assert (found.wrong, found.seconds, found.spread) == (None, None, None)


@pytest.mark.parametrize(("seconds", "cases"), [(0.06, 1), (0.059, 2), (0.001, 60), (1e-9, 64), (5.0, 1)])
def test_enough(seconds: float, cases: int) -> None:
    assert enough(seconds, most=64) == cases


def test_spread_is_the_interquartile_range_over_the_median() -> None:
    assert relative_spread([1.0, 2.0, 3.0, 4.0, 5.0]) == pytest.approx(2.0 / 3.0)
