"""The demo's own path: Ray, the embedded model in every seat, a page; and the model's server killed in mid-game.

Its search, behind games of a cheap scripted cast: whole where an engine answers, left out in a line where none does.
"""

import os
import signal
import subprocess
import sys
import time
from contextlib import nullcontext
from pathlib import Path

import pandas as pd
import pytest
from conftest import Bench, but_times
from rich.console import Console

from pipelines.cli import main
from pipelines.demo import SEARCH
from pipelines.gather import outline
from pipelines.store import Store
from pipelines.work import Work, prepare_folder
from solvers.containers.engine import Engine

CHEAP = ("cast=scripted", "inquisitors=[novice]", "judges=[fair]", "papers=1", "questions=2")
PLACES = {**os.environ, "RAY_TMPDIR": "/tmp"}  # Ray needs a short path


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
        env={**PLACES, "TMPDIR": str(tmp_path), "DOCKER_HOST": "unix:///no/where"},  # the game is what is asked about
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


def test_without_an_engine_a_line_says_that_the_search_is_left_out(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DOCKER_HOST", "unix:///no/where")
    assert main(["demo", *bench.overrides(*CHEAP)]) == 0
    said = capsys.readouterr().out.splitlines()
    why = "no container engine answers at DOCKER_HOST=unix:///no/where (no such file or directory)"
    assert [line for line in said if "search" in line] == [said[-1]]
    assert said[-1].startswith(f"the idea search is left out: {why}")
    assert not bench.folder(*SEARCH).exists()


def test_with_an_engine_the_search_is_played_to_its_end(
    bench: Bench, engine: Engine, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["demo", *bench.overrides(*CHEAP)]) == 0
    said = capsys.readouterr().out
    assert "left out" not in said
    executions, attempts = bench.table("executions", *SEARCH), bench.table("attempts", *SEARCH)
    counted = executions[executions.seeding == "search"]
    assert 6 <= len(counted) <= 12
    assert set(counted.verdict) == {"right"}
    assert sorted(attempts.branch) == [1, 2, 3, 4, 5, 6]
    assert set(attempts.status) == {"ok"}
    assert attempts.executions.sum() == len(counted)
    pages = [Path(line.removeprefix("page: ")) for line in said.splitlines() if line.startswith("page: ")]
    assert [page.parents[1].name.split("-")[0] for page in pages] == ["demo", "idea_search"]
    assert "radix_sort, aim, catalog: 1 search" in pages[1].read_text()
    assert "<svg" in pages[1].read_text()


@pytest.mark.parametrize("code", [3, 130])
def test_what_stops_the_games_stops_the_demo(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], code: int
) -> None:
    monkeypatch.setenv("DOCKER_HOST", "unix:///no/where")
    monkeypatch.setattr("pipelines.demo.game", lambda *_: code)
    assert main(["demo", *bench.overrides(*CHEAP)]) == code
    assert "search" not in capsys.readouterr().out


def test_a_search_that_was_interrupted_has_a_status_and_no_page(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(works: list[Work], console: Console) -> int:
        prepare_folder(works[0])
        outline(works[0].units, Store(works[0].settings.store), works[0].tables)
        return 130

    Store(bench.outputs / "store").prepare()
    monkeypatch.setattr("solvers.containers.engine.Engine.connect", nullcontext)
    monkeypatch.setattr("solvers.measuring.image.need_base", lambda *_: None)
    monkeypatch.setattr("pipelines.demo.game", lambda *_: 0)
    monkeypatch.setattr("pipelines.demo.run", interrupted)
    assert main(["demo", *bench.overrides()]) == 130
    said = capsys.readouterr()
    assert "0 of 12 executions started, 0 of 6 branches done" in said.out
    assert "page: " not in said.out
    assert said.err == ""
