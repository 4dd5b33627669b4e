"""The kill schedule: whatever is killed with -9, whenever, the tables are those of an undisturbed run.

Each kill may cost one request for each game in flight, and not one more. Drivers are started again with the same
command; after the death of an actor or a node the run goes on by itself.
"""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import Bench
from driving import IN_FLIGHT, command, finish
from killing import LAG, Moments, Nodes, Undisturbed, actors, ended_well, found, running, say
from loopback import LoopbackProcess

KINDS = ("Games", "open_answerer", "Judgings", "Desk")
FULL = 20
SEED = 20261130
SO_MANY = f"cluster.in_flight={IN_FLIGHT}"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    return Undisturbed(tmp_path_factory.mktemp("small"), SO_MANY, "replicates=3")


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    return Undisturbed(tmp_path_factory.mktemp("large"), SO_MANY, "replicates=16")


def kill_drivers(tmp_path: Path, undisturbed: Undisturbed, cluster: str, kills: int) -> str:
    bench = Bench(tmp_path)
    with LoopbackProcess(lag=LAG) as server:
        arguments = command(bench, server.url, *undisturbed.more, f"cluster={cluster}")
        moments = Moments(server, SEED)
        for _ in range(kills):
            with running(arguments) as driver:
                if moments.choose(0.2):
                    moments.nap(2.0)  # it may not have begun
                else:
                    moments.wait(driver, 1, 4 * IN_FLIGHT)
                assert driver.poll() is None, driver.communicate()
                os.killpg(driver.pid, signal.SIGKILL)
                driver.communicate()
        finish(arguments)
        return undisturbed.assert_equal(bench, server, kills)


def kill_actors(tmp_path: Path, undisturbed: Undisturbed, names: tuple[str, ...]) -> str:
    bench = Bench(tmp_path)
    with LoopbackProcess(lag=LAG) as server:
        moments = Moments(server, SEED)
        with running(command(bench, server.url, *undisturbed.more, "cluster=local")) as driver:
            for name in names:
                moments.wait(driver)
                os.kill(found(lambda name=name: actors(driver.pid, name), driver), signal.SIGKILL)
            errors = ended_well(driver)
        assert errors.count("lost an actor") <= 2 * len(names)  # Ray may say a line of another process twice
        return undisturbed.assert_equal(bench, server, len(names))


def test_actors_of_every_kind_are_killed_and_the_run_goes_on(tmp_path: Path, small: Undisturbed) -> None:
    kill_actors(tmp_path, small, KINDS)


@pytest.mark.soak
@pytest.mark.parametrize("name", KINDS)
def test_actors_are_killed_at_random_moments(tmp_path: Path, large: Undisturbed, name: str) -> None:
    say(name, kill_actors(tmp_path, large, (name,) * FULL))


@pytest.mark.soak
@pytest.mark.parametrize(("cluster", "kills"), [("inprocess", FULL - 3), ("local", 3)])
def test_drivers_are_killed_at_random_moments(tmp_path: Path, large: Undisturbed, cluster: str, kills: int) -> None:
    say(f"driver, {cluster}", kill_drivers(tmp_path, large, cluster, kills))


@pytest.fixture
def nodes() -> Iterator[Nodes]:
    two = Nodes()
    yield two
    two.shutdown()


def test_a_node_is_killed_and_its_actors_move_to_another_or_the_run_ends_in_a_line(
    tmp_path: Path, small: Undisturbed, nodes: Nodes
) -> None:
    bench = Bench(tmp_path)
    with LoopbackProcess(lag=LAG) as server:
        moments = Moments(server, SEED)
        arguments = command(bench, server.url, *small.more, *nodes.overrides)
        # Within so many seconds a loaded machine must have started an actor; so long takes the end, too.
        with running([*arguments, "cluster.patience=30"]) as driver:
            moments.wait(driver)
            nodes.kill()
            nodes.add()  # it comes back
            nodes.add()
            moments.wait(driver)
            nodes.kill()  # the other has room
            moments.wait(driver)
            nodes.kill()  # that was the last
            errors = driver.communicate(timeout=240)[1]
        assert driver.returncode == 2
        assert "Traceback" not in errors
        assert len(lines := [line for line in errors.splitlines() if line.startswith("heuresis: ")]) == 1
        assert "1 of 1 actors for Games were not there within cluster.patience=30 seconds" in lines[0]
        assert "the same command goes on" in lines[0]
        finish(command(bench, server.url, *small.more))
        small.assert_equal(bench, server, kills=3)


@pytest.mark.soak
def test_nodes_are_killed_at_random_moments(tmp_path: Path, large: Undisturbed, nodes: Nodes) -> None:
    bench = Bench(tmp_path)
    with LoopbackProcess(lag=4 * LAG) as server:  # a lost node's actors go on for a second
        moments = Moments(server, SEED)
        with running(command(bench, server.url, *large.more, *nodes.overrides)) as driver:
            for _ in range(FULL):
                moments.wait(driver, IN_FLIGHT + 1)
                if back_first := moments.choose(0.5):
                    nodes.add()
                nodes.kill()
                if not back_first:
                    moments.nap(2.0)
                    nodes.add()
            ended_well(driver)
        say("raylet", large.assert_equal(bench, server, FULL))
