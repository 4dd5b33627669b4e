"""Plain classes on Ray: routes, shared values, typed faults, and an actor that dies under a call."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from actors.errors import BadInput, ErrorKind, UnitFault
from actors.pool import Cluster, LocalCluster, Lost, Unfit
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


class Picky:
    """Its work can be done by whoever is not among the first ``unfit`` to be asked."""

    def __init__(self, folder: Path, unfit: int) -> None:
        self._mark, self._folder, self._unfit = folder / str(os.getpid()), folder, unfit

    async def work(self) -> int:
        if not self._mark.exists() and len(list(self._folder.iterdir())) < self._unfit:
            self._mark.touch()
        if self._mark.exists():
            raise Unfit("this node has no engine")
        return os.getpid()


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


async def test_an_actor_whose_node_lacks_something_is_left_out(
    ray_cluster: RayCluster, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    pool = ray_cluster.pool(Picky, tmp_path, 2, size=3)
    assert len({await pool.call(Picky.work, None) for _ in range(6)}) == 1
    assert len(list(tmp_path.iterdir())) == 2
    assert [record.getMessage() for record in caplog.records] == ["a node is left out: this node has no engine"]


async def test_where_all_lack_it_that_is_what_a_call_says(ray_cluster: RayCluster, tmp_path: Path) -> None:
    pool = ray_cluster.pool(Picky, tmp_path, 2, size=2)
    for _ in range(2):
        with pytest.raises(BadInput, match=r"^this node has no engine$") as error:
            await pool.call(Picky.work, None)
        assert not isinstance(error.value, Unfit), "whoever asked for it has a place of its own, and that is fit"
