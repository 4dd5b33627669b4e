"""From what a branch did to its attempt."""

import platform
from collections.abc import Sequence
from typing import Literal, TypeVar

from actors.errors import UnitFault
from actors.model import Reply
from actors.replay import Tape
from solvers.attempt import Attempt, Execution
from solvers.branches.order import Order
from solvers.branches.workbench import best_of, measured

N = TypeVar("N", int, float)


def attempt_of(order: Order, tape: Tape, fault: UnitFault | None, seconds: float) -> Attempt:
    """The attempt, before any audit, from what stands on the branch's tape: so it is the same in any replay."""
    assignment = order.assignment
    idea = assignment.idea.id if assignment.idea else None
    rows = measured(tape, assignment.branch)
    best = best_of(rows)
    tokens, cost = spent([call.reply for call in tape.calls])
    return Attempt(
        iteration=assignment.iteration,
        branch=assignment.branch,
        idea_id=idea,
        assigned_idea_id=idea,
        score=best.score if best else None,
        score_local=best.score_local if best else None,
        score_declared=best.score_declared if best else None,
        score_basis=basis(best) if best else None,
        metric=best.metric if best else None,
        success=best is not None,
        executions=len(rows),
        seconds=seconds,
        tokens=tokens,
        cost=cost,
        solution=best.solution if best else None,
        parent_solution=order.start.hash,
        host=platform.node(),
        status="error" if fault else "ok",
        error_kind=fault.kind if fault else None,
        error=str(fault) if fault else None,
    )


def basis(best: Execution) -> Literal["local", "reward"]:
    """What the scores that drive a search are on: this node's anchors, or a foreign verifier's word."""
    return "reward" if best.score_local is None else "local"


def spent(replies: Sequence[Reply]) -> tuple[int | None, float | None]:
    """Tokens and US dollars; None where a part of them is not known. What brought nothing back has none."""
    brought = [reply for reply in replies if reply.text is not None or reply.prompt_tokens is not None]
    tokens = [one for reply in brought for one in (reply.prompt_tokens, reply.completion_tokens)]
    costs = [reply.cost for reply in brought]
    return total(tokens), total(costs)


def total(numbers: Sequence[N | None]) -> N | int | None:
    """The sum; None where a part is unknown."""
    known = [number for number in numbers if number is not None]
    return sum(known) if len(known) == len(numbers) else None
