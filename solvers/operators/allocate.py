"""The resource planner: how many branches each iteration has, of which the past ones stand (AIM, arXiv 2609.38445).

A plan adds up to B_tot exactly; an iteration has 1 to `Shares.most` branches, and better not fewer than three. What an
iteration left undone, since the pool held fewer ideas, is in the plan of those that follow.
"""

from collections.abc import Sequence
from typing import TypeVar

from actors.row import Row
from solvers.assignment import Shares
from solvers.idea import Cluster, Rank
from solvers.operators.operator import Consult, Operator, Payload
from solvers.operators.outcome import clusters_view
from solvers.operators.said import Said
from solvers.operators.views import Shown, lessons_view, percent, standing, task_view
from solvers.state import State

Dated = TypeVar("Dated", Cluster, Rank)
PREFERRED = 3  # branches of an iteration at least, where it can be helped (inferred from the paper's realised plans)


class PlanSaid(Said):
    """The planner's reply: the whole plan, past iterations with it."""

    rationale: str
    plan: tuple[int, ...]


class Plan(Row):
    """A plan as it stood: a row of the table ``plans``. after_iteration: how many iterations were done by then."""

    after_iteration: int
    plan: tuple[int, ...]
    rationale: str
    fallback: bool


def problem(reply: PlanSaid, payload: Payload) -> str:
    """What is wrong with a plan."""
    done, total, most = payload["done"], payload["total"], payload["most"]
    if list(reply.plan[: len(done)]) != done:
        return f"the plan must begin with {done}, the branches of the iterations that are done"
    if wrong := [count for count in reply.plan if not 1 <= count <= most]:
        return f"an iteration has 1 to {most} branches, not {wrong[0]}"
    if sum(reply.plan) != total:
        left = total - sum(done)
        return f"the plan adds up to {sum(reply.plan)}; {total} it must be, so what follows {done} adds up to {left}"
    return ""


def fallback(payload: Payload) -> PlanSaid:
    """As many branches as in the first iteration, again and again."""
    plan = [*payload["done"], *repeated(payload["total"] - sum(payload["done"]), payload["branches"])]
    return PlanSaid(rationale="the same number in each iteration", plan=tuple(plan))


def repeated(left: int, branches: int) -> list[int]:
    """``left`` as entries of ``branches``; the last two share, or are one, where the last would be below three.

    With fewer than three branches at a time, below that number. No entry is above `Shares.most`.
    """
    full, rest = divmod(left, branches)
    least = min(PREFERRED, branches)
    if rest == 0:
        return [branches] * full
    if full == 0 or rest >= least:
        return [*[branches] * full, rest]
    tail = branches + rest
    halves = [tail - tail // 2, tail // 2] if tail // 2 >= least else [tail]
    return [*[branches] * (full - 1), *halves]


def fixed_plan(shares: Shares) -> list[int]:
    """As many branches in every iteration as in the first: AIM's ablation without a planner."""
    return [shares.branches] * shares.iterations


PLAN = Operator("plan", PlanSaid, problem, fallback)


async def allocate(consult: Consult, state: State) -> list[int]:
    """The whole plan: it begins with `State.done`, and goes on while there are branches left.

    The first iteration is pinned, so before it the planner is not asked; nor is it when one branch or none is left.
    """
    past, left = len(state.done), state.branches_left
    if not state.done:
        pinned = tuple(fixed_plan(state.shares))
        return _kept(state, Plan(after_iteration=0, plan=pinned, rationale="the first is pinned", fallback=False))
    if left == 0:
        return list(state.done)
    if left == 1:
        plan = (*state.done, 1)
        return _kept(state, Plan(after_iteration=past, plan=plan, rationale="one branch is left", fallback=False))
    said = await consult(PLAN, plan_payload(state), f"{state.iteration:02d}.plan")
    return _kept(
        state,
        Plan(
            after_iteration=past,
            plan=said.reply.plan,
            rationale=said.reply.rationale,
            fallback=said.fallback,
        ),
    )


def plan_payload(state: State) -> Shown:
    """What the planner is shown. target: halfway from the best score to full marks, so it moves as the search gets on.

    clusters: the last ones, with their estimated ranks.
    """
    clusters = latest([row for _, row, _ in state.rows if isinstance(row, Cluster)])
    ranks = latest([row for _, row, _ in state.rows if isinstance(row, Rank)])
    best, worst = standing(state)
    top = max((one.score or 0.0 for one in state.counted), default=0.0)
    return {
        "task": task_view(state),
        "done": list(state.done),
        "left": state.branches_left,
        "total": state.shares.total,
        "most": state.shares.most,
        "branches": state.shares.branches,
        "preferred": PREFERRED,
        "unevaluated": len(state.untried()),
        "executions_each": state.shares.each,
        "best_score": percent(top),
        "target": percent((1 + top) / 2),
        "scores": [
            {"iteration": one.iteration, "branch": one.branch, "score": percent(one.score), "success": one.success}
            for one in state.counted
        ],
        "clusters": clusters_view(state, clusters, {row.cluster: row.rank for row in ranks if row.idea_id is None}),
        "best": best,
        "worst": worst,
        "lessons": lessons_view(state),
    }


def latest(rows: Sequence[Dated]) -> list[Dated]:
    """Those of the last iteration that has any."""
    last = max((row.iteration for row in rows), default=0)
    return [row for row in rows if row.iteration == last]


def _kept(state: State, plan: Plan) -> list[int]:
    state.add("plans", plan)
    return list(plan.plan)
