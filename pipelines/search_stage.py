"""The actors of idea searches: the managers' searches, and the branches that work for them on the nodes."""

import hashlib

from actors.desk import Desk
from actors.pool import Cluster, Pool, Resources
from actors.record import Record
from actors.recorded import Recorded
from pipelines.search_settings import SearchSettings
from pipelines.search_unit import SearchUnit
from pipelines.work import Work
from solvers.branches.branch import Branches
from solvers.brief import brief_of
from solvers.policies.open import wants_brief
from solvers.search import SearchPlan
from solvers.searches import Searches
from solvers.tasks.packed import settle
from solvers.tasks.task import Task

MINUTE, HOUR, MB = 60.0, 3600.0, 2**20


class SearchStage:
    """A pool of searches and one of branches for each run; runs of a sweep that differ in nothing else share them."""

    def __init__(self, cluster: Cluster, desk: Pool[Desk]) -> None:
        self._cluster, self._desk = cluster, desk
        self._pools: dict[str, Pool[Searches]] = {}

    def pool(self, work: Work, settings: SearchSettings) -> Pool[Searches]:
        """The searches of a run, raised when they are first asked for."""
        coder = settings.models[settings.codes] if settings.codes else None
        manager = settings.models[settings.manager]
        seats = (settings.cluster.actors, settings.cluster.needs)
        alike = (settings.task, settings.solver, manager, *seats, *([coder] if coder else []))
        most = settings.cluster.actors.branch or settings.shares.most
        at_once = 1 if settings.cluster.ray else most
        place = "\n".join([*(row.model_dump_json() for row in alike), f"{settings.outputs}\n{most} {at_once}"])
        if place not in self._pools:
            assert work.task is not None
            packed, way = self._cluster.share(work.task), (self._desk, self._cluster.delay)
            needs = branch_needs(settings, settle(work.task))
            size = self._cluster.fits(needs, most)
            about = (packed, settings.task.profile, settings.solver, coder, settings.outputs)
            branches = self._cluster.pool(Branches, *about, at_once, *way, size=size, needs=needs)
            actors, own = settings.cluster.actors.search, settings.cluster.needs.search
            self._pools[place] = self._cluster.pool(Searches, manager, packed, branches, *way, size=actors, needs=own)
        return self._pools[place]

    async def play(self, unit: SearchUnit, work: Work, recorded: Recorded, life: int) -> Record:
        """One search, start to end."""
        settings = work.settings
        assert isinstance(settings, SearchSettings)
        assert work.task is not None
        plan = search_plan(unit, settings, settle(work.task))  # as it was when the run began
        return await self.pool(work, settings).call(Searches.play, None, plan, recorded, life)


def search_plan(unit: SearchUnit, settings: SearchSettings, task: Task) -> SearchPlan:
    """All that a search needs to know beside its task."""
    seconds = task.description.agent.timeout_sec
    return SearchPlan(
        unit=unit.id,
        policy=settings.policy,
        brief=brief_of(task, wants_brief(settings.policy), settings.solver.kind == "catalog"),
        shares=settings.shares,
        clock=settings.clock_hours * HOUR,
        branch_seconds=seconds if settings.branch_minutes is None else settings.branch_minutes * MINUTE,
        audit=settings.audit,
        seed=own_seed(settings.seed, unit.replicate),
    )


def own_seed(seed: int, replicate: int) -> int:
    """The 31-bit seed of one search: the same under any other setting, another for each seed and replicate."""
    return int.from_bytes(hashlib.sha256(f"{seed}/{replicate}".encode()).digest()[:4], "big") >> 1


def branch_needs(settings: SearchSettings, task: Task) -> Resources:
    """What each branch reserves: what the config says, or else what the task's own environment asks for."""
    if settings.cluster.needs.branch is not None:
        return settings.cluster.needs.branch
    asked = task.description.environment
    needs = {"CPU": asked.cpus, "GPU": float(asked.gpus), "memory": float(asked.memory_mb * MB)}
    return {name: amount for name, amount in needs.items() if amount}
