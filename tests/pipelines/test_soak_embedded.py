"""The embedded model's server, killed with -9 twenty times: the tables are those of an undisturbed run.

llama.cpp repeats itself only where it reuses no prompt and answers one request at a time.
"""

import os
import random
import signal
import sys
import time
from pathlib import Path

import pandas as pd
import pytest
from conftest import but_times
from killing import ended_well, running, say

ALONE = ("cluster=inprocess", "cluster.in_flight=1", "models.smollm2.extra={cache_prompt: false}")
KILLS = (5, 5, 5, 5)  # in each of four runs
CALLS = 8  # that each of them makes at the least


def command(outputs: Path) -> list[str]:
    given = ("papers=1", "questions=2", *ALONE, f"outputs={outputs}")
    return [sys.executable, "-m", "pipelines.cli", "run", "experiment=demo", *given]


def tables(outputs: Path) -> dict[str, pd.DataFrame]:
    folder = next(outputs.glob("demo-*")) / "tables"
    return {path.stem: pd.read_parquet(path) for path in folder.glob("*.parquet")}


def announced(outputs: Path) -> int:
    """Requests that were announced before they were sent, further tries among them."""
    events = (path.read_bytes() for path in outputs.glob("store/*/journal.jsonl"))
    return sum(text.count(b'{"start":') + text.count(b'{"again":') for text in events)


def server_of(tmp: Path) -> int | None:
    """The server that runs under this TMPDIR, if it answers already."""
    for address in tmp.glob("heuresis-*/embedded-*/address"):
        return int(address.read_text().split()[0])
    return None


@pytest.mark.soak
def test_the_server_is_killed_at_random_moments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with running(command(tmp_path / "undisturbed")) as driver:
        ended_well(driver, 1200)
    wanted = tables(tmp_path / "undisturbed")
    draw = random.Random(20261130)
    for kills in KILLS:
        outputs = tmp_path / f"{kills}-{draw.random()}"
        above = disturbed(tmp_path, outputs, kills, draw)
        found = tables(outputs)
        for name in found.keys() - {"calls", "limits"}:
            assert but_times(found[name]).equals(but_times(wanted[name])), name
        calls = found["calls"]
        assert len(calls) == len(wanted["calls"])
        assert calls.tries.sum() - len(calls) == above
        say("embedded server", f"{kills} kills, {above} requests above {len(calls)}")


def disturbed(tmp: Path, outputs: Path, kills: int, draw: random.Random) -> int:
    """A run in which the server is killed so often, a random time after a random one of its calls has begun.

    How many requests were announced more than once.
    """
    killed: set[int] = set()
    with running(command(outputs)) as driver:
        for at in sorted(draw.sample(range(1, CALLS - 1), kills)):
            while (pid := server_of(tmp)) is None or pid in killed or announced(outputs) < at + len(killed):
                assert driver.poll() is None, driver.communicate()
                time.sleep(0.02)
            time.sleep(draw.uniform(0, 1))
            os.kill(pid, signal.SIGKILL)
            killed.add(pid)
        ended_well(driver, 1200)
    assert len(killed) == kills
    extra = int((tables(outputs)["calls"].tries - 1).sum())
    assert extra <= kills
    return extra
