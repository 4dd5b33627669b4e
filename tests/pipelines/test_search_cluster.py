"""A search on a cluster of containers: branches on both workers, one of which is killed."""

import time
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from clusters import Cluster

from solvers.containers.engine import LABEL, Engine

SEARCH = (
    *("experiment=idea_search", "task=radix_sort", "task.profile=small", "cast=scripted", "solver=catalog"),
    *("budget.executions=48", "branches=4", "iterations=4"),
    *("cluster=local", "cluster.address=auto", "cluster.needs.branch={worker: 1}", "cluster.actors.branch=4"),
)
BRANCHES, EACH = 16, 3


def namespaces(engine: Engine) -> set[str]:
    """Whose containers of branches are there: the pid namespaces of the processes that started them."""
    there = engine.client.api.containers(filters={"label": f"{LABEL}.unit"})
    return {one["Labels"][f"{LABEL}.process"].split(":", 2)[2] for one in there}


def namespace_of(cluster: Cluster, worker: Any) -> str:
    return cluster.run(worker, "readlink", "/proc/self/ns/pid").out.strip()


@pytest.mark.soak
def test_branches_run_on_both_workers_and_one_is_killed(engine: Engine, tmp_path: Path) -> None:
    outputs = tmp_path / "outputs"
    with Cluster(workers=2, outputs=outputs, resources={"worker": 2}) as cluster:
        own = [namespace_of(cluster, worker) for worker in cluster.workers]
        cluster.begin(cluster.head, "heuresis", "run", *SEARCH, "outputs=/work/outputs")
        seen: set[str] = set()
        ends = time.monotonic() + 300
        while not all(any(name in found for found in seen) for name in own):
            assert time.monotonic() < ends, f"branches of {seen}, not of both {own}"
            seen |= namespaces(engine)
            time.sleep(0.2)
        cluster.kill(cluster.workers[0])
        cluster.wait(2)
        said = cluster.run(cluster.head, "heuresis", "run", *SEARCH, "outputs=/work/outputs")  # waits for the other
        assert said.code == 0, said
    folder = next(path for path in outputs.iterdir() if path.name.startswith("idea_search-"))
    attempts = pd.read_parquet(folder / "tables" / "attempts.parquet")
    executions = pd.read_parquet(folder / "tables" / "executions.parquet")
    counted = executions[executions.seeding == "search"]
    assert sorted(attempts.branch) == list(range(1, BRANCHES + 1))
    assert set(attempts.status) == {"ok"}
    assert counted.groupby("branch").size().max() <= EACH
    assert (counted.verdict == "lost").sum() <= 2
    assert counted[counted.verdict != "lost"].baseline.nunique() == 1, "one scale for one machine"
