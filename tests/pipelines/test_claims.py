"""Of several drivers on one store each unit is played by one; who is dead holds nothing."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from actors.record import Record
from pipelines.claims import Claims
from pipelines.store import Store, Writer

UNITS = [f"game/p/m/none/r{number}" for number in range(200)]
RACER = """
import json, sys, time
from pathlib import Path
from pipelines.claims import Claims
from pipelines.store import Store, Writer

store = Store(Path(sys.argv[1]))
writer = Writer(store)
claims = Claims(store, writer)
print(writer.name, flush=True)
sys.stdin.readline()
units = [f"game/p/m/none/r{number}" for number in range(200)]
ours = []
for at in range(0, 200, 2):
    ours += claims.take(units[at : at + 2])
    time.sleep(0.001)
print(json.dumps(ours), flush=True)
sys.stdin.readline()
writer.close()
"""


def racer(store: Path) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", RACER, str(store)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def told(process: "subprocess.Popen[str]") -> str:
    assert process.stdout
    return process.stdout.readline().strip()


def tell(process: "subprocess.Popen[str]") -> None:
    assert process.stdin
    process.stdin.write("\n")
    process.stdin.flush()


def driver(folder: Path) -> tuple[Store, Writer, Claims]:
    store = Store(folder)
    writer = Writer(store)
    return store, writer, Claims(store, writer)


def finished(unit: str, status: str = "ok") -> Record:
    return Record(unit=unit, status=status, round=0, rows={}, calls=[])


def test_two_processes_that_race_for_the_same_units_get_disjoint_shares(tmp_path: Path) -> None:
    racers = [racer(tmp_path), racer(tmp_path)]
    names = [told(one) for one in racers]
    for one in racers:
        tell(one)
    shares = [json.loads(told(one)) for one in racers]
    store = Store(tmp_path)
    assert [store.alive(name) for name in names] == [True, True]
    for one in racers:
        one.communicate("\n", timeout=30)
    assert sorted(shares[0] + shares[1]) == sorted(UNITS)
    assert [store.alive(name) for name in names] == [False, False]


@pytest.mark.parametrize("end", ["killed", "closed"])
def test_what_a_dead_driver_held_is_free(tmp_path: Path, end: str) -> None:
    holder = racer(tmp_path)
    name = told(holder)
    tell(holder)
    assert json.loads(told(holder)) == UNITS
    store, writer, claims = driver(tmp_path)
    assert claims.take(UNITS) == []
    if end == "killed":
        holder.send_signal(signal.SIGKILL)
        holder.wait()
    else:
        holder.communicate("\n", timeout=30)
    assert not store.alive(name)
    assert claims.take(UNITS[:3]) == UNITS[:3]
    _, another, others = driver(tmp_path)
    assert others.take(UNITS[2:5]) == UNITS[3:5]
    another.close()
    writer.close()
    holder.communicate()


def test_what_is_ours_stays_ours_and_is_written_once(tmp_path: Path) -> None:
    _, writer, claims = driver(tmp_path)
    assert claims.take(["a", "b"]) == ["a", "b"]
    size = (tmp_path / "claims.jsonl").stat().st_size
    assert claims.take(["b", "a"]) == ["b", "a"]
    assert (tmp_path / "claims.jsonl").stat().st_size == size
    writer.close()


def test_who_takes_over_a_unit_sees_that_it_was_finished(tmp_path: Path) -> None:
    _, first, firsts = driver(tmp_path)
    store, second, seconds = driver(tmp_path)
    firsts.take(["a", "b"])
    assert seconds.take(["a", "b"]) == []
    first.begin("b")
    first.finish([finished("a")])
    first.close()
    assert seconds.take(["a", "b"]) == ["a", "b"]
    assert [bool(store.finished(unit)) for unit in "ab"] == [True, False]
    second.close()


def test_claims_are_emptied_by_a_driver_that_starts_alone_and_by_no_other(tmp_path: Path) -> None:
    _, first, firsts = driver(tmp_path)
    firsts.take(["a"])
    _, second, seconds = driver(tmp_path)
    assert seconds.take(["a"]) == []
    first.close()
    second.close()
    assert (tmp_path / "claims.jsonl").read_bytes() != b""
    _, third, thirds = driver(tmp_path)
    assert (tmp_path / "claims.jsonl").read_bytes() == b""
    assert thirds.take(["a"]) == ["a"]
    third.close()


@pytest.mark.parametrize("spoilt", [b'["somebody", "game/p', b"3\n", b"\xff\x00\n", b"[]\n", b'["x", 3]\n'])
def test_a_torn_or_damaged_line_holds_nothing_and_spoils_no_other(tmp_path: Path, spoilt: bytes) -> None:
    _, first, firsts = driver(tmp_path)
    firsts.take(["a"])
    with (tmp_path / "claims.jsonl").open("ab") as file:
        file.write(spoilt)
    firsts.take(["b"])
    _, second, seconds = driver(tmp_path)
    assert seconds.take(["a", "b", "c"]) == ["c"]
    assert firsts.take(["a", "b", "c"]) == ["a", "b"]
    first.close()
    second.close()


def test_a_claims_file_that_is_lost_stops_nobody(tmp_path: Path) -> None:
    _, first, firsts = driver(tmp_path)
    _, second, seconds = driver(tmp_path)
    firsts.take(["a", "b"])
    assert seconds.take(["a"]) == []
    (tmp_path / "claims.jsonl").unlink()
    assert seconds.take(["a", "c"]) == ["c"]  # what was read before still counts
    assert firsts.take(["c", "d"]) == ["d"]
    first.close()
    second.close()


def test_a_store_that_is_not_yet_listed_is_read_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A shared disk may list a new folder late; its name is in the claims."""
    store, second, seconds = driver(tmp_path)
    listed = store.writers()
    monkeypatch.setattr(store, "writers", lambda: listed)
    _, first, firsts = driver(tmp_path)
    firsts.take(["a"])
    first.finish([finished("a")])
    first.close()
    assert seconds.take(["a"]) == ["a"]
    assert store.finished("a") is not None
    second.close()
