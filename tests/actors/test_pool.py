"""Plain classes on Ray: routes, shared values, typed faults, and an actor that dies under a call."""

import os
import signal
from collections.abc import Iterator

import pytest

from actors.errors import ErrorKind, UnitFault
from actors.pool import Cluster, LocalCluster, Lost
from actors.ray_pool import RayCluster


class Desk:
    """A plain class."""

    def __init__(self, names: dict[str, int], offset: int) -> None:
        self.names = names
        self.offset = offset

    async def look(self, name: str) -> int:
        return self.names[name] + self.offset

    async def where(self) -> int:
        return os.getpid()

    async def fail(self) -> None:
        raise UnitFault("no luck", ErrorKind.FILTERED)

    async def die(self) -> None:
        os.kill(os.getpid(), signal.SIGKILL)


@pytest.fixture(scope="module")
def ray_cluster() -> Iterator[RayCluster]:
    cluster = RayCluster()
    yield cluster
    cluster.close()


async def check_values_and_faults(cluster: Cluster) -> None:
    pool = cluster.pool(Desk, cluster.share({"a": 1}), 10)
    assert await pool.call(Desk.look, None, "a") == 11
    with pytest.raises(UnitFault, match="no luck") as fault:
        await pool.call(Desk.fail, None)
    assert fault.value.kind is ErrorKind.FILTERED


async def test_the_local_twin() -> None:
    cluster = LocalCluster()
    await check_values_and_faults(cluster)
    assert await cluster.pool(Desk, {}, 0).call(Desk.where, None) == os.getpid()


async def test_ray(ray_cluster: RayCluster) -> None:
    await check_values_and_faults(ray_cluster)
    pool = ray_cluster.pool(Desk, {}, 0, size=2)
    routed = {name: await pool.call(Desk.where, name) for name in range(6)}
    assert len(set(routed.values())) == 2
    assert routed == {name: await pool.call(Desk.where, name) for name in range(6)}
    assert os.getpid() not in routed.values()


async def test_a_call_whose_actor_dies_is_lost_and_the_actor_comes_back(ray_cluster: RayCluster) -> None:
    pool = ray_cluster.pool(Desk, ray_cluster.share({"a": 5}), 0)
    before = await pool.call(Desk.where, None)
    with pytest.raises(Lost):
        await pool.call(Desk.die, None)
    for _ in range(50):
        try:
            assert await pool.call(Desk.look, None, "a") == 5
            break
        except Lost:
            continue
    assert await pool.call(Desk.where, None) != before
