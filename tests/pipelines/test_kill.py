"""A run killed with -9 in mid-game goes on with the same command: equal tables, every acknowledged call made once."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest
from conftest import Bench, but_times
from loopback import LoopbackProcess

GAMES = ("cast=endpoint", "papers=2", "replicates=2", "questions=6", "card_every=3", "+models.endpoint.send_seed=true")
IN_FLIGHT = 2 * 2  # games; each has at most one call under way


def command(bench: Bench, url: str, *more: str) -> list[str]:
    model = ("models.endpoint.model=openai/loopback", f"models.endpoint.api_base={url}")
    return [sys.executable, "-m", "pipelines.cli", "run", *bench.overrides(*GAMES, *model, *more)]


def tables(bench: Bench) -> dict[str, pd.DataFrame]:
    folder = next(path for path in bench.outputs.iterdir() if path.name.startswith("game-"))
    return {path.stem: pd.read_parquet(path) for path in sorted((folder / "tables").glob("*.parquet"))}


def finish(arguments: list[str]) -> str:
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def kill_at(arguments: list[str], server: LoopbackProcess, requests: int) -> None:
    """Start a driver and kill it, with all it started, when the server has seen so many requests."""
    driver = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    wanted = server.total + requests
    while server.total < wanted:
        assert driver.poll() is None, "the driver ended before it could be killed"
        time.sleep(0.005)
    os.killpg(driver.pid, signal.SIGKILL)
    driver.wait()


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, pd.DataFrame], int]:
    bench = Bench(tmp_path_factory.mktemp("undisturbed"))
    with LoopbackProcess() as server:
        finish(command(bench, server.url))
        return tables(bench), server.total


def assert_equal_but_calls(found: dict[str, pd.DataFrame], wanted: dict[str, pd.DataFrame]) -> None:
    assert found.keys() == wanted.keys()
    for name in found.keys() - {"calls"}:
        assert but_times(found[name]).equals(but_times(wanted[name])), name


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
