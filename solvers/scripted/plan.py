"""The scripted planner: three branches an iteration, and what that leaves over in the first ones: 4, 4, 3, 3."""

from collections.abc import Callable

from actors.row import Row
from solvers.operators.allocate import PREFERRED, PlanSaid
from solvers.operators.operator import Payload


def plan(payload: Payload, seed: int) -> Row:
    """The past, then what is left."""
    del seed
    following = narrowing(payload["total"] - sum(payload["done"]))
    return PlanSaid(rationale="Short iterations learn more often.", plan=(*payload["done"], *following))


def narrowing(left: int) -> list[int]:
    """``left`` in as many entries as have three branches, larger ones first; fewer than three are one entry."""
    count = max(1, left // PREFERRED)
    each, more = divmod(left, count)
    return [each + 1] * more + [each] * (count - more) if left else []


RULES: dict[str, Callable[[Payload, int], Row]] = {"plan": plan}
