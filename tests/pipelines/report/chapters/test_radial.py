"""Any tree can be drawn: each question outside of its parent, each branch in a sector of its own."""

from itertools import groupby
from math import atan2, hypot, pi

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.report.chapters.radial import LARGEST, LEAST, lay_out

TREES = st.lists(st.integers(0, 10**6), min_size=1, max_size=60).map(
    lambda drawn: {t: x % t for t, x in enumerate(drawn, 1)}
)


def top(parents: dict[int, int], t: int) -> int:
    """The question that opens the branch of ``t``."""
    while parents[t]:
        t = parents[t]
    return t


@settings(max_examples=60, deadline=None)
@given(TREES)
def test_questions_lie_outside_of_what_they_follow_from(parents: dict[int, int]) -> None:
    layout = lay_out(parents)
    out = {0: 0.0, **{t: hypot(*point) for t, point in layout.points.items()}}
    assert all(out[t] > out[parent] for t, parent in parents.items())
    assert max(out.values()) == pytest.approx(440, abs=0.2)
    assert LEAST <= layout.size <= LARGEST
    left, above, width, height = map(float, layout.box.split())
    for x, y in [(0.0, 0.0), *layout.points.values(), *layout.rims.values()]:
        assert left < x < left + width
        assert above < y < above + height


@settings(max_examples=60, deadline=None)
@given(TREES)
def test_a_branch_stands_together_each_question_after_its_parent(parents: dict[int, int]) -> None:
    order = lay_out(parents).order
    place = {t: at for at, t in enumerate(order)}
    assert sorted(order) == sorted(parents)
    assert all(place[parent] < place[t] for t, parent in parents.items() if parent)
    branches = [branch for branch, _ in groupby(order, lambda t: top(parents, t))]
    assert branches == sorted(t for t, parent in parents.items() if not parent)


def test_branches_follow_clockwise_from_the_top_in_the_order_of_opening() -> None:
    layout = lay_out(dict.fromkeys(range(1, 5), 0))
    clockwise = [atan2(x, -y) % (2 * pi) for x, y in layout.points.values()]
    assert clockwise == pytest.approx([pi / 4, 3 * pi / 4, 5 * pi / 4, 7 * pi / 4], abs=1e-3)
    assert layout.links[1].startswith("M0 0L")


def test_no_depth_is_too_deep() -> None:
    layout = lay_out({t: t - 1 for t in range(1, 5001)})
    assert len(layout.points) == 5000
    assert layout.size == LEAST


def test_no_question_has_a_place() -> None:
    layout = lay_out({})
    assert (layout.order, layout.points, layout.links) == ([], {}, {})
