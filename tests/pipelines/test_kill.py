"""A run killed with -9 in mid-game goes on with the same command: equal tables, every acknowledged call made once."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest
from conftest import Bench
from driving import IN_FLIGHT, assert_equal_but_calls, command, finish, kill_at, tables
from loopback import LoopbackProcess


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, pd.DataFrame], int]:
    bench = Bench(tmp_path_factory.mktemp("undisturbed"))
    with LoopbackProcess() as server:
        finish(command(bench, server.url))
        return tables(bench), server.total


@pytest.mark.parametrize(("cluster", "kills"), [("inprocess", 2), ("local", 1)])
def test_a_driver_killed_in_mid_game(
    tmp_path: Path, undisturbed: tuple[dict[str, pd.DataFrame], int], cluster: str, kills: int
) -> None:
    wanted, requests = undisturbed
    bench = Bench(tmp_path)
    with LoopbackProcess(lag=0.05) as server:
        arguments = [*command(bench, server.url, f"cluster={cluster}")]
        for _ in range(kills):
            kill_at(arguments, server, requests=requests // 4)
        finish(arguments)
        assert_equal_but_calls(tables(bench), wanted)
        assert requests <= server.total <= requests + kills * IN_FLIGHT
        # What was asked twice was under way when the driver died: its reply was never acknowledged.
        twice = sum(times - 1 for times in server.counts.values())
        assert twice == server.total - requests
        calls = tables(bench)["calls"]
        assert len(calls) == requests
        assert twice <= calls.lost.sum() <= kills * IN_FLIGHT
        assert "nothing to play" in finish(arguments)


def test_an_endpoint_that_dies_under_the_games_fails_them_and_they_go_on_later(
    tmp_path: Path, undisturbed: tuple[dict[str, pd.DataFrame], int]
) -> None:
    wanted, requests = undisturbed
    bench = Bench(tmp_path)
    few = ("+models.endpoint.tries=1",)
    with LoopbackProcess(lag=0.02) as server:
        driver = subprocess.Popen(
            command(bench, server.url, *few), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        while server.total < requests // 2:
            time.sleep(0.01)
        answered = server.total
    said, errors = driver.communicate(timeout=120)
    assert driver.returncode == 1, errors
    assert "connection" in said
    with LoopbackProcess() as server:
        finish(command(bench, server.url, *few))
        assert server.total <= requests - answered + IN_FLIGHT
    found = tables(bench)
    found["units"] = found["units"].assign(round=0)  # they had failed once
    assert_equal_but_calls(found, wanted)


def test_a_refused_key_stops_the_run_in_one_line_and_loses_nothing(bench: Bench, tmp_path: Path) -> None:
    secret = "sk-very-secret-0123456789"
    with LoopbackProcess() as server:
        server.misbehave("status", status=401)
        arguments = [*command(bench, server.url), "models.endpoint.api_key_env=A_TEST_KEY"]
        done = subprocess.run(
            arguments,
            capture_output=True,
            text=True,
            env={**os.environ, "A_TEST_KEY": secret},
            check=False,
            timeout=120,
        )
    assert done.returncode == 2
    lines = [line for line in done.stderr.splitlines() if line.startswith("heuresis: ")]
    assert len(lines) == 1
    assert "A_TEST_KEY" in lines[0] or "401" in lines[0]
    assert "Traceback" not in done.stderr
    everything = [
        done.stdout,
        done.stderr,
        *(path.read_bytes().decode(errors="replace") for path in tmp_path.rglob("*") if path.is_file()),
    ]
    assert [text for text in everything if secret in text] == []


def test_a_key_is_in_no_file_of_a_run_that_uses_it(bench: Bench, tmp_path: Path) -> None:
    secret = "sk-very-secret-0123456789"
    with LoopbackProcess() as server:
        arguments = [*command(bench, server.url), "models.endpoint.api_key_env=A_TEST_KEY", "papers=1", "replicates=1"]
        done = subprocess.run(
            arguments, capture_output=True, text=True, env={**os.environ, "A_TEST_KEY": secret}, check=True, timeout=120
        )
    subprocess.run(
        [sys.executable, "-m", "pipelines.cli", "report", str(next(bench.outputs.glob("game-*")))],
        check=True,
        capture_output=True,
    )
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) > 10
    everything = [done.stdout, done.stderr, *(path.read_bytes().decode(errors="replace") for path in files)]
    assert [text for text in everything if secret in text] == []
