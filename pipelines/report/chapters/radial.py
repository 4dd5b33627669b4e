"""Where the questions of a tree lie in a drawing: the problem in the middle, each question further out by its depth.

The problem is at 0, 0. Branches follow one another clockwise from the top, in the order of opening; what
is below a question lies in its sector. Nothing here walks down a tree, so that depth has no limit.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import cos, pi, sin

RADIUS = 440
INNER = 0.8
"""Steps from the middle to depth 0: room for the questions that open many branches."""
APART = 0.2
"""Between two branches, in steps at depth 1."""
LEAST, LARGEST, ROOT = 3.2, 13.0, 32.0
MARGIN = 22

Point = tuple[float, float]


@dataclass(frozen=True)
class Layout:
    """points: of each question; links: SVG path data from its parent to it; size: radius of a mark.

    order: the questions so that each stands after its parent and beside what follows from it. rims: by the question
    that opens a branch, a point just outside of the deepest of it. root: the radius of the problem's mark. box: an SVG
    viewBox that holds it all.
    """

    points: dict[int, Point]
    links: dict[int, str]
    order: list[int]
    rims: dict[int, Point]
    size: float
    root: float
    box: str


def lay_out(parents: Mapping[int, int]) -> Layout:
    """The layout of a tree whose questions all have a place: ``parents`` gives 0 or an earlier question of it."""
    order = sorted(parents)
    depth = {0: 0}
    branch: dict[int, int] = {}
    for t in order:
        depth[t] = depth[parents[t]] + 1
        branch[t] = t if parents[t] == 0 else branch[parents[t]]
    width = _widths(order, parents, depth)
    step = RADIUS / (max(depth.values()) + INNER)
    total = width[0] or 1.0
    angle, radius = {0: 0.0}, {0: 0.0}
    start, free = {0: 0.0}, {0: 0.0}
    for t in order:
        start[t] = free[t] = free[parents[t]]
        free[parents[t]] += width[t]
        angle[t] = 2 * pi * (start[t] + width[t] / 2) / total
        radius[t] = step * (depth[t] + INNER)
    deepest: dict[int, int] = {}
    for t in order:
        deepest[branch[t]] = max(deepest.get(branch[t], t), t, key=lambda one: (depth[one], -one))
    points = {t: _at(angle[t], radius[t]) for t in order}
    rims = {top: _at(angle[t], radius[t] + 28) for top, t in deepest.items()}
    return Layout(
        points=points,
        links={t: _link(angle, radius, parents[t], t) for t in order},
        order=sorted(order, key=lambda t: (start[t], depth[t])),
        rims=rims,
        size=min(max(0.42 * min(step, 2 * pi * step / total), LEAST), LARGEST),
        root=round(min(0.5 * step * (1 + INNER), ROOT), 1),
        box=_box([(0.0, 0.0), *points.values(), *rims.values()]),
    )


def _box(points: list[Point]) -> str:
    x, y = zip(*points, strict=True)
    left, top = min(x) - MARGIN, min(y) - MARGIN
    return f"{left:.0f} {top:.0f} {max(x) - left + MARGIN:.0f} {max(y) - top + MARGIN:.0f}"


def _widths(order: list[int], parents: Mapping[int, int], depth: Mapping[int, int]) -> dict[int, float]:
    """How much of the circle each question takes: a leaf the less the deeper it is, as it lies further out."""
    width = dict.fromkeys([0, *order], 0.0)
    for t in reversed(order):
        width[t] = width[t] or 1 / (depth[t] + INNER)
        width[t] += APART / (1 + INNER) if parents[t] == 0 else 0
        width[parents[t]] += width[t]
    return width


def _at(angle: float, radius: float) -> Point:
    return round(radius * sin(angle), 1), round(-radius * cos(angle), 1)


def _link(angle: Mapping[int, float], radius: Mapping[int, float], parent: int, t: int) -> str:
    """A straight line from the problem, else a curve that leaves and arrives along the radius."""
    (x, y), (to_x, to_y) = _at(angle[parent], radius[parent]), _at(angle[t], radius[t])
    if parent == 0:
        return f"M0 0L{to_x:g} {to_y:g}"
    middle = (radius[parent] + radius[t]) / 2
    (a, b), (c, d) = _at(angle[parent], middle), _at(angle[t], middle)
    return f"M{x:g} {y:g}C{a:g} {b:g} {c:g} {d:g} {to_x:g} {to_y:g}"
