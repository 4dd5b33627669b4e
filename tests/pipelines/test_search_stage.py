"""What branches reserve on a cluster, and what a search is told."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import pytest
from conftest import Bench

from actors.desk import Desk
from actors.pool import LocalCluster, LocalPool, Pool
from pipelines.config import settings
from pipelines.plan import plan
from pipelines.search_settings import SearchSettings
from pipelines.search_stage import SearchStage, branch_needs, search_plan
from pipelines.search_unit import SearchUnit
from solvers.search import SearchPlan

T = TypeVar("T")
SEARCH = ("experiment=idea_search", "cast=scripted", "task.profile=small")


def of(bench: Bench, *more: str) -> SearchSettings:
    read = settings(bench.overrides(*SEARCH, *more))
    assert isinstance(read, SearchSettings)
    return read


@pytest.mark.parametrize(
    ("given", "needs"),
    [
        ("cluster=nodes", {"CPU": 1.0, "memory": 2048 * 2**20}),
        ("cluster=local", {}),
        ("cluster.needs.branch={worker: 1}", {"worker": 1.0}),
    ],
)
def test_a_branch_reserves_what_its_task_asks_for_where_machines_are_many(
    bench: Bench, given: str, needs: dict[str, float]
) -> None:
    read = of(bench, given)
    assert branch_needs(read, read.read_task()) == needs


def test_a_search_is_told_its_clock_its_budget_and_its_own_seed(bench: Bench) -> None:
    more = ("clock_hours=0.5", "branch_minutes=2", "budget.executions=50")
    plans = planned(bench, "seed=7", *more)
    assert {(one.clock, one.branch_seconds) for one in plans} == {(1800.0, 120.0)}
    assert (plans[0].shares.each, plans[0].shares.left_over) == (2, 0)
    assert dict(plans[0].brief.techniques)["digit_width"].startswith("wider digits")


def planned(bench: Bench, *given: str) -> list[SearchPlan]:
    read = of(bench, "replicates=2", *given)
    return [search_plan(unit, read, read.read_task()) for unit in plan(read).units if isinstance(unit, SearchUnit)]


def test_each_seed_and_replicate_has_draws_of_its_own_and_other_settings_leave_them(bench: Bench) -> None:
    plain, other = planned(bench, "seed=7"), planned(bench, "seed=8")
    paired = planned(bench, "seed=7", "policy.actions=false", "audit=false")
    assert len({one.draws for one in (*plain, *other)}) == 4
    assert [one.draws for one in paired] == [one.draws for one in plain]
    assert {one.unit for one in paired}.isdisjoint(one.unit for one in plain)


def test_the_task_says_how_long_a_branch_may_take_unless_the_run_does(bench: Bench) -> None:
    read = of(bench)
    (unit,) = plan(read).units
    assert isinstance(unit, SearchUnit)
    assert search_plan(unit, read, read.read_task()).branch_seconds == 21600.0


class Pools(LocalCluster):
    """Counts pools, and raises nothing."""

    def __init__(self) -> None:
        self.made: list[str] = []

    def pool(self, build: Callable[..., T], *args: Any, **more: Any) -> Pool[T]:
        self.made.append(build.__name__)
        return LocalPool(cast("T", object()))


@pytest.mark.parametrize(
    "given", ["cluster.needs.branch={worker: 1}", "cluster.needs.search={CPU: 2}", "cluster.actors.search=2"]
)
def test_runs_that_place_their_actors_otherwise_have_pools_of_their_own(bench: Bench, given: str) -> None:
    pools = Pools()
    stage = SearchStage(pools, LocalPool(cast("Desk", object())))
    for more in (("policy.plan=false",), ("policy.plan=true",), (given,)):
        work = plan(of(bench, *more))
        assert isinstance(work.settings, SearchSettings)
        stage.pool(work, work.settings)
    assert pools.made == ["Branches", "Searches"] * 2
