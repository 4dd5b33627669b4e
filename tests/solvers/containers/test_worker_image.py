"""Workers in containers on one engine: one Ray cluster, one queue for cores, one host; none ends another's work."""

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import docker
import pytest
from clusters import Cluster

from solvers.containers.engine import Engine

pytestmark = pytest.mark.soak

SOLUTION = "/opt/heuresis/src/datasets/tasks/radix_sort/solution"
SCORE = ("heuresis", "task", "score", "radix_sort", SOLUTION, "--profile", "small", "--json")
HOLDS_ALL = """
import time
from contextlib import ExitStack
from solvers.measuring.cores import Cores
cores = Cores()
with ExitStack() as stack:
    for _ in cores.timed:
        stack.enter_context(cores.lease())
    print("held", flush=True)
    time.sleep(300)
"""
ASKS_FOR_ONE = """
from solvers.measuring.cores import Cores
try:
    with Cores().lease(patience={patience}) as lease:
        print("has", lease.core)
except TimeoutError:
    print("none is free")
"""
HOLDS_A_CONTAINER = """
import sys, time
from solvers.containers.container import Cell, Container
from solvers.containers.engine import Engine
with Container(Engine.connect(), Cell(image=sys.argv[1], command=("cat",), memory_mb=32)) as container:
    print(container.id, flush=True)
    time.sleep(300)
"""
SWEEPS = "from solvers.containers.engine import Engine\nprint(Engine.connect().sweep())"


@pytest.fixture(scope="module")
def cluster(engine: Engine) -> Iterator[Cluster]:
    with Cluster(workers=2) as made:
        yield made


@pytest.fixture
def client(engine: Engine) -> Iterator[docker.DockerClient]:
    with closing(docker.from_env(timeout=120)) as made:
        yield made


def until(there: Callable[[], bool], seconds: float = 30) -> None:
    ends = time.monotonic() + seconds
    while not there():
        assert time.monotonic() < ends
        time.sleep(0.2)


def running(client: docker.DockerClient, container: str) -> bool:
    return any(one.id == container for one in client.containers.list(ignore_removed=True))


def test_a_head_and_two_workers_are_one_cluster(cluster: Cluster) -> None:
    assert cluster.alive() == 3
    refused = cluster.run(cluster.head, "sh", "-c", "RAY_AUTH_TOKEN=another ray status")
    assert refused.code != 0, "the token is asked for"


def test_doctor_finds_the_hosts_engine_in_a_worker(cluster: Cluster) -> None:
    said = cluster.run(cluster.workers[0], "heuresis", "doctor")
    assert said.code == 0, said
    assert "ok  container engine" in said.out


def test_two_workers_score_at_once_on_one_host_and_bind_nothing(cluster: Cluster, client: docker.DockerClient) -> None:
    rows: list[dict[str, Any]] = []

    def score(worker: Any) -> None:
        said = cluster.run(worker, *SCORE)
        assert said.code == 0, said
        rows.append(json.loads(said.out))

    threads = [threading.Thread(target=score, args=(worker,)) for worker in cluster.workers]
    mounts: dict[str, list[Any]] = {}
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        for one in client.api.containers(filters={"label": "heuresis=container"}):
            mounts[one["Id"]] = one["Mounts"]
        time.sleep(0.3)
    assert [(row["end"], row["correct"], row["node"]["host"]) for row in rows] == 2 * [
        ("right", True, socket.gethostname())
    ]
    assert all(0.3 < row["score_local"] < 0.7 for row in rows), "the reference's score is about a half"
    assert len(mounts) >= 4, "a builder and a timekeeper each"
    assert all(mount["Type"] == "tmpfs" for bound in mounts.values() for mount in bound)


def test_a_sweep_spares_the_containers_of_the_other_worker(cluster: Cluster, client: docker.DockerClient) -> None:
    one, other = cluster.workers[:2]
    held = cluster.begin(one, "python", "-c", HOLDS_A_CONTAINER, "debian:bookworm-slim")
    said = cluster.run(other, "python", "-c", SWEEPS)
    assert (said.code, said.out) == (0, "0\n"), said
    assert running(client, held)


def test_cores_are_one_queue_and_a_killed_worker_leaves_nothing(cluster: Cluster, client: docker.DockerClient) -> None:
    one, other = cluster.workers[:2]
    container = cluster.begin(one, "python", "-c", HOLDS_A_CONTAINER, "debian:bookworm-slim")
    assert cluster.begin(one, "python", "-c", HOLDS_ALL) == "held"
    assert cluster.run(other, "python", "-c", ASKS_FOR_ONE.format(patience=1)).out == "none is free\n"
    cluster.kill(one)
    assert cluster.run(other, "python", "-c", ASKS_FOR_ONE.format(patience=20)).out.startswith("has ")
    until(lambda: not running(client, container))
    cluster.wait(2)
    cluster.add_worker()
    cluster.wait(3)
