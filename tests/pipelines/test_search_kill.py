"""A search that is killed with -9, whenever, goes on where it stopped: nothing measured twice, nothing left behind.

The driver is killed with all it started; or one actor of it, and the run goes on by itself.
"""

import os
import random
import signal
import subprocess
import sys
import time
import zlib
from collections.abc import Callable

import pandas as pd
import pytest
from conftest import Bench
from killing import actors, found, running

from pipelines.config import settings
from pipelines.plan import plan
from solvers.containers.engine import LABEL, Engine

SEARCH = (
    *("experiment=idea_search", "task=radix_sort", "task.profile=small", "cast=scripted", "solver=catalog"),
    *("budget.executions=36", "branches=3", "iterations=3"),
)
EXECUTIONS, EACH, BRANCHES = 36, 4, 9
SEED = 20261201


def command(bench: Bench, cluster: str) -> list[str]:
    own = (f"seed={seed(bench)}", f"cluster={cluster}", f"outputs={bench.outputs}")
    return [sys.executable, "-m", "pipelines.cli", "run", *SEARCH, *own]


def tables(bench: Bench) -> dict[str, pd.DataFrame]:
    folder = next(path for path in bench.outputs.iterdir() if path.name.startswith("idea_search-"))
    return {path.stem: pd.read_parquet(path) for path in sorted((folder / "tables").glob("*.parquet"))}


def assert_gone(engine: Engine, bench: Bench) -> None:
    """Within seconds of a death the engine has removed what hung on it."""
    (unit,) = plan(settings([*SEARCH, f"seed={seed(bench)}"])).units

    def left() -> list[str]:
        there = engine.client.api.containers(all=True, filters={"label": f"{LABEL}.unit"})
        return [one["Labels"][f"{LABEL}.unit"] for one in there if one["Labels"][f"{LABEL}.unit"].startswith(unit.id)]

    ends = time.monotonic() + 20
    while left() and time.monotonic() < ends:
        time.sleep(0.1)
    assert left() == []


def seed(bench: Bench) -> int:
    """Each test has searches of its own: other runs of the machine have other seeds."""
    return zlib.crc32(str(bench.outputs).encode()) >> 1


def assert_whole(found: dict[str, pd.DataFrame], lost: int) -> int:
    """The search is complete, within its budget; how many executions a crash swallowed, ``lost`` at most."""
    executions = found["executions"]
    counted = executions[executions.seeding == "search"]
    assert set(found["units"].status) == {"ok"}
    assert len(counted) <= EXECUTIONS
    assert not counted.duplicated(["branch", "index"]).any()
    assert (
        counted.groupby("branch")["index"]
        .agg(["max", "count"])
        .apply(lambda row: row["max"] == row["count"], axis=1)
        .all()
    )
    assert counted.groupby("branch").size().max() <= EACH
    assert sorted(found["attempts"].branch) == list(range(1, BRANCHES + 1))
    assert set(found["attempts"].status) == {"ok"}
    swallowed = int((counted.verdict == "lost").sum())
    assert swallowed <= lost
    assert (found["attempts"].set_index("branch").executions == counted.groupby("branch").size()).all()
    assert found["searches"].started.tolist() == [len(counted)]
    calls = found["calls"]
    assert calls.used.all()
    assert not calls.duplicated(["part", "seat", "turn", "attempt"]).any()
    return swallowed


def kill_driver_at_random(bench: Bench, engine: Engine, cluster: str, kills: int, moments: tuple[float, float]) -> str:
    draw, arguments = random.Random(f"{SEED}/{cluster}"), command(bench, cluster)
    for killed in range(kills):
        with running(arguments) as driver:
            moment = draw.uniform(*moments)
            try:
                driver.wait(moment)
            except subprocess.TimeoutExpired:
                os.killpg(driver.pid, signal.SIGKILL)
                driver.communicate()
            else:
                pytest.fail(f"it was done before kill {killed + 1}")
        assert_gone(engine, bench)
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert_gone(engine, bench)
    lost = assert_whole(tables(bench), lost=3 * kills)
    return f"{cluster}: {kills} kills, {lost} executions lost"


def kill_actors(bench: Bench, engine: Engine, names: tuple[str, ...], pause: Callable[[], float]) -> str:
    with running(command(bench, "local")) as driver:
        for name in names:
            time.sleep(pause())
            os.kill(found(lambda name=name: actors(driver.pid, name), driver), signal.SIGKILL)
        said, errors = driver.communicate(timeout=300)
        assert driver.returncode == 0, said + errors
    assert "Traceback" not in errors, errors
    assert_gone(engine, bench)
    lost = assert_whole(tables(bench), lost=3 * len(names))
    return f"{', '.join(names)} killed, {lost} executions lost"


def test_a_killed_search_goes_on(bench: Bench, engine: Engine) -> None:
    kill_driver_at_random(bench, engine, "inprocess", kills=2, moments=(0.5, 10.0))


def test_a_search_outlives_its_actors(bench: Bench, engine: Engine) -> None:
    kill_actors(bench, engine, ("Branches", "Searches"), lambda: 4.0)


@pytest.mark.soak
@pytest.mark.parametrize(("cluster", "moments"), [("inprocess", (2.5, 8.0)), ("local", (6.0, 14.0))])
def test_ten_kills_of_the_driver(bench: Bench, engine: Engine, cluster: str, moments: tuple[float, float]) -> None:
    """Moments in seconds: from when the first execution may be under way, which takes Ray some time."""
    sys.stderr.write(kill_driver_at_random(bench, engine, cluster, kills=10, moments=moments) + "\n")


@pytest.mark.soak
def test_ten_kills_of_actors(bench: Bench, engine: Engine) -> None:
    draw = random.Random(SEED)
    names = tuple(draw.sample(["Branches"] * 6 + ["Searches"] * 2 + ["Desk"] * 2, 10))
    sys.stderr.write(kill_actors(bench, engine, names, lambda: draw.uniform(2.0, 8.0)) + "\n")
