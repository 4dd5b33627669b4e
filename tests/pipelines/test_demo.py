"""The demo's own path: Ray, the embedded model in every seat, a page; and the model's server killed in mid-game."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest
from conftest import but_times


def server_of(folder: Path) -> int | None:
    """The embedded server that runs under this TMPDIR, if it answers already."""
    for address in folder.glob("heuresis-*/embedded-*/address"):
        return int(address.read_text().split()[0])
    return None


def journaled(outputs: Path) -> int:
    return sum(path.read_bytes().count(b'{"call":') for path in outputs.glob("store/*/journal.jsonl"))


def started(tmp_path: Path, outputs: Path, *overrides: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "pipelines.cli", "demo", "papers=1", "questions=2", f"outputs={outputs}", *overrides],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(tmp_path), "RAY_TMPDIR": "/tmp"},  # Ray needs a short path
    )


def kill_the_server(tmp_path: Path, outputs: Path, driver: subprocess.Popen[str], calls: int) -> None:
    while journaled(outputs) < calls:
        assert driver.poll() is None, driver.communicate()
        time.sleep(0.05)
    killed = server_of(tmp_path)
    assert killed is not None
    os.kill(killed, signal.SIGKILL)


def finished(driver: subprocess.Popen[str]) -> tuple[str, dict[str, pd.DataFrame]]:
    said, errors = driver.communicate(timeout=300)
    assert driver.returncode == 0, said + errors
    page = Path(next(line.split(": ", 1)[1] for line in said.splitlines() if line.startswith("page: ")))
    assert "<svg" in page.read_text()
    return said, {path.stem: pd.read_parquet(path) for path in (page.parents[1] / "tables").glob("*.parquet")}


def test_a_small_demo_ends_well_though_its_model_is_killed(tmp_path: Path) -> None:
    outputs = tmp_path / "outputs"
    driver = started(tmp_path, outputs)
    kill_the_server(tmp_path, outputs, driver, calls=2)
    said, tables = finished(driver)
    assert "135 million" in said
    assert set(tables["units"].status) == {"ok"}
    assert len(tables["turns"]) == 2
    assert tables["cards"].t.tolist() == [0, 2]
    assert tables["ratings"].score.between(1, 10).all()
    calls = tables["calls"]
    assert calls.used.all()
    assert calls[calls.seat == "answer"].cached_tokens.max() > 2000  # the evidence was read once
    assert (calls.cost == 0).all()


@pytest.mark.soak
def test_the_tables_of_a_killed_model_are_those_of_an_undisturbed_one(tmp_path: Path) -> None:
    """llama.cpp repeats itself only where it reuses no prompt and answers one request at a time."""
    alone = ("cluster=inprocess", "cluster.in_flight=1", "models.smollm2.extra={cache_prompt: false}")
    _, wanted = finished(started(tmp_path, tmp_path / "undisturbed", *alone))
    driver = started(tmp_path, tmp_path / "disturbed", *alone)
    kill_the_server(tmp_path, tmp_path / "disturbed", driver, calls=4)
    _, found = finished(driver)
    for name in found.keys() - {"calls", "limits"}:
        assert but_times(found[name]).equals(but_times(wanted[name])), name
    assert len(found["calls"]) == len(wanted["calls"])
