"""Kill schedules: seeded random moments at which a driver, an actor or a node of its cluster is killed with -9."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from conftest import Bench
from driving import IN_FLIGHT, assert_equal_but_calls, command, finish, tables
from loopback import LoopbackProcess

LAG = 0.05  # seconds that each reply takes


class Undisturbed:
    """A run that nobody disturbs: its tables, and how many requests the server saw."""

    def __init__(self, folder: Path, *more: str) -> None:
        bench = Bench(folder)
        with LoopbackProcess() as server:
            finish(command(bench, server.url, *more))
            self.more = more
            self.tables = tables(bench)
            self.requests = server.total

    def assert_equal(self, bench: Bench, server: LoopbackProcess, kills: int) -> str:
        """Equal tables, and at most one request per kill and game in flight above. Says the figures."""
        found = tables(bench)
        assert_equal_but_calls(found, self.tables)
        assert set(found["units"].status) == {"ok"}
        calls, above = found["calls"], server.total - self.requests
        assert len(calls) == self.requests
        assert calls.used.all()
        assert 0 <= above <= kills * IN_FLIGHT
        assert max(server.counts.values()) <= 1 + kills
        assert above == sum(times - 1 for times in server.counts.values())
        assert above <= calls.lost.sum() <= kills * IN_FLIGHT
        return f"{kills} kills, {above} requests above {self.requests}, {calls.lost.sum()} lost"


class Moments:
    """Random moments, by the number of requests that a server has seen and what is left to chance after that.

    Apart by more than the games in flight: a call that loses its actor three times in a row ends its unit, by design.
    """

    def __init__(self, server: LoopbackProcess, seed: int) -> None:
        self._server = server
        self._draw = random.Random(seed)

    def wait(self, driver: subprocess.Popen[str], least: int = 2 * IN_FLIGHT, most: int = 4 * IN_FLIGHT) -> None:
        """Until the next one."""
        wanted = self._server.total + self._draw.randint(least, most)
        while self._server.total < wanted:
            assert driver.poll() is None, driver.communicate()
            time.sleep(0.005)
        time.sleep(self._draw.uniform(0, 2 * LAG))

    def nap(self, most: float) -> None:
        """A random time."""
        time.sleep(self._draw.uniform(0, most))

    def choose(self, chance: float) -> bool:
        """Whether something happens that does with this chance."""
        return self._draw.random() < chance


@contextmanager
def running(arguments: list[str]) -> Iterator[subprocess.Popen[str]]:
    """A driver in a session of its own; what is left of it in the end is killed."""
    with subprocess.Popen(
        arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as driver:
        try:
            yield driver
        finally:
            if driver.poll() is None:
                os.killpg(driver.pid, signal.SIGKILL)


def ended_well(driver: subprocess.Popen[str], seconds: float = 300) -> str:
    """Its stderr: a line for each lost actor and what else there was to say, no traceback."""
    said, errors = driver.communicate(timeout=seconds)
    assert driver.returncode == 0, said + errors
    assert "Traceback" not in errors, errors
    assert "worker died" not in said + errors
    return errors


def actors(session: int, name: str) -> list[int]:
    """The pids of the actors of one class, of the Ray that a driver has started."""
    return [
        process
        for process, its_session, title in processes()
        if its_session == session and title.startswith(f"ray::{name}")
    ]


def processes() -> Iterator[tuple[int, int, str]]:
    """Every process: pid, session, title."""
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                title = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                session = int((folder / "stat").read_text().rpartition(")")[2].split()[3])
            except OSError:  # it has ended
                continue
            yield int(folder.name), session, title


def found(look: Callable[[], list[int]], driver: subprocess.Popen[str]) -> int:
    """The first that is there, as soon as one is."""
    while not (there := look()):
        assert driver.poll() is None, driver.communicate()
        time.sleep(0.02)
    return there[0]


def say(kind: str, figures: str) -> None:
    """For whoever runs the schedule with -s or -rP."""
    sys.stdout.write(f"{kind}: {figures}\n")


class Nodes:
    """A Ray cluster of two nodes on this machine: a head for the driver, and one with a resource ``players``.

    Health is checked more often than by default, so that a dead node is noticed within two seconds.
    """

    def __init__(self) -> None:
        from ray.cluster_utils import Cluster

        health = {f"health_check_{name}_ms": ms for name, ms in (("initial_delay", 0), ("period", 500))}
        system = {**health, "health_check_timeout_ms": 1000, "health_check_failure_threshold": 3}
        head = {"num_cpus": 1, "include_dashboard": False, "_system_config": system}
        self._cluster = Cluster(initialize_head=True, head_node_args=head)
        self._players: list[Any] = []
        self.add()
        placed = ("cluster=local", f"cluster.address={self._cluster.address}", "cluster.patience=120")
        self.overrides = (*placed, "+cluster.needs.inquisitor.players=1")

    def add(self) -> None:
        """One more node with players."""
        self._players.append(self._cluster.add_node(num_cpus=1, resources={"players": 100}))

    def kill(self) -> None:
        """Kill the raylet of the oldest node with players: Ray takes all of that node for lost."""
        node = self._players.pop(0)
        raylet = node.all_processes["raylet"][0].process
        raylet.kill()
        raylet.wait()
        self._cluster.remove_node(node, allow_graceful=False)

    def shutdown(self) -> None:
        """End what is left."""
        self._cluster.shutdown()
