"""Runs that end before their end: interrupted, refused, too many failures. Nothing is paid twice for it."""

import os
import signal
import time
from pathlib import Path

import pytest
from conftest import Bench
from driving import IN_FLIGHT, assert_equal_but_calls, command, ended, finish, started, tables
from loopback import Loopback, LoopbackProcess, Trouble


@pytest.mark.parametrize(
    ("cluster", "number"), [("inprocess", signal.SIGINT), ("inprocess", signal.SIGTERM), ("local", signal.SIGINT)]
)
def test_a_first_signal_lets_requests_come_in_and_nothing_is_asked_twice(
    tmp_path: Path, cluster: str, number: signal.Signals
) -> None:
    bench = Bench(tmp_path)
    with LoopbackProcess(lag=0.2) as server:
        driver = started(command(bench, server.url, f"cluster={cluster}"), server, requests=20)
        os.killpg(driver.pid, number)  # as a terminal does: to all that it started
        said = ended(driver, 130)
        assert "stopping" in said
        assert "the same command goes on" in said
        finish(command(bench, server.url))
        found = tables(bench)
        assert set(server.counts.values()) == {1}
        assert len(found["calls"]) == server.total
        assert found["calls"].lost.sum() == 0
        assert set(found["units"].status) == {"ok"}


def test_a_second_signal_stops_at_once(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    with LoopbackProcess(lag=30) as server:
        driver = started(command(bench, server.url), server, requests=IN_FLIGHT)
        began = time.monotonic()
        driver.send_signal(signal.SIGINT)
        assert driver.stdout
        while "stopping" not in driver.stdout.readline():
            assert driver.poll() is None
        driver.send_signal(signal.SIGTERM)
        said = ended(driver, 130)
        assert time.monotonic() - began < 25
        assert "interrupted" in said


def test_a_refused_key_lets_the_others_requests_come_in(bench: Bench) -> None:
    given = ("cast=endpoint", "papers=2", "replicates=2", "questions=2", "models.endpoint.model=openai/x")
    with Loopback(lag=0.05) as server:
        where = (*given, f"models.endpoint.api_base={server.url}", "models.endpoint.send_seed=true")
        server.misbehave(Trouble.STATUS, status=401, fraction=0.1)
        assert bench.run(*where) == 2
        server.behave()
        refused = server.total
        assert bench.run(*where) == 0
        calls = bench.table("calls", *where)
        assert calls.lost.sum() == 0
        assert server.total == len(calls)
        assert (calls.error_kind == "auth").sum() < refused


@pytest.mark.parametrize(("fail_over", "failed"), [("3", 3), ("0.25", 5)])
def test_a_run_in_which_too_much_fails_stops(
    bench: Bench, capsys: pytest.CaptureFixture[str], fail_over: str, failed: int
) -> None:
    given = ("cast=endpoint", "papers=2", "replicates=10", "questions=2", "judging=false", "cluster.in_flight=1")
    with Loopback() as server:
        where = (*given, "models.endpoint.model=openai/x", f"models.endpoint.api_base={server.url}")
        server.misbehave(Trouble.STATUS, status=400)
        assert bench.run(*where, f"fail_over={fail_over}") == 1
        said = capsys.readouterr().out
        assert f"stopped: {failed} units failed" in said
        units = bench.table("units", *where)
        assert dict(units.status.value_counts()) == {"error": failed, "pending": 20 - failed}
        assert set(units.error_kind.dropna()) == {"bad_request"}
        server.behave()
        assert bench.run(*where) == 0


def test_two_drivers_at_once_play_each_unit_once_and_both_complete(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    with LoopbackProcess(lag=0.05) as server:
        arguments = command(bench, server.url, "replicates=6", "cluster.in_flight=2")
        drivers = [started(arguments, server, 1) for _ in range(2)]
        for driver in drivers:
            ended(driver, 0)
        assert set(server.counts.values()) == {1}
        first, second = (set(bench.played(writer)) for writer in bench.writers())
        assert first
        assert second
        assert not first & second
        units = tables(bench)["units"]
        assert set(units.status) == {"ok"}
        assert first | second == set(units.unit)
        assert "nothing to play" in finish(arguments)


def test_a_driver_takes_over_what_another_left_when_it_was_killed(tmp_path: Path) -> None:
    bench, alone = Bench(tmp_path / "a"), Bench(tmp_path / "b")
    with LoopbackProcess(lag=0.1) as server:
        finish(command(alone, server.url))
        asked = server.total
        one = started(command(bench, server.url), server, 20)
        other = started(command(bench, server.url), server, 4)
        os.killpg(one.pid, signal.SIGKILL)
        one.communicate()
        ended(other, 0)
        assert server.total - 2 * asked <= IN_FLIGHT
        assert_equal_but_calls(tables(bench), tables(alone))
