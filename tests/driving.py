"""Drivers in processes of their own, against a loopback endpoint: for tests that stop or kill them."""

import os
import signal
import subprocess
import sys
import time

import pandas as pd
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


def started(arguments: list[str], server: LoopbackProcess, requests: int) -> subprocess.Popen[str]:
    """A driver in a session of its own that has sent so many requests."""
    driver = subprocess.Popen(
        arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    wanted = server.total + requests
    while server.total < wanted:
        assert driver.poll() is None, driver.communicate()
        time.sleep(0.005)
    return driver


def ended(driver: subprocess.Popen[str], code: int) -> str:
    said, errors = driver.communicate(timeout=120)
    assert driver.returncode == code, said + errors
    assert "Traceback" not in errors
    assert "*** SIG" not in errors
    return said + errors


def assert_equal_but_calls(found: dict[str, pd.DataFrame], wanted: dict[str, pd.DataFrame]) -> None:
    assert found.keys() == wanted.keys()
    for name in found.keys() - {"calls", "limits"}:
        assert but_times(found[name]).equals(but_times(wanted[name])), name
