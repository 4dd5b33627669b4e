"""The journal: what is acknowledged is on disk, in order; what a crash cut off is left out."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from actors import journal
from actors.journal import Channel, Journal
from actors.model import Reply, Spec
from actors.pool import LocalPool, Lost
from actors.prompt import Request
from actors.replay import Call, Tape


def call(turn: int) -> Call:
    reply = Reply(text=f"t{turn}", latency=0.0)
    return Call(seat="card", turn=turn, attempt=0, round=0, caller="m", prompt="p", reply=reply, started_at=0.0)


def asked(turn: int) -> Request:
    return Request("card", {"n": turn}, Call, 0.0)


class Parrot:
    """A model that answers at once."""

    spec = Spec(name="parrot", model="x/y", family="bird")

    async def complete(self, request: Request) -> Reply:
        return Reply(text=f"t{request.values['n']}", latency=0.0)


@pytest.fixture
def slow_disk(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Every sync waits until the returned function is called."""
    import threading

    gate = threading.Event()
    real = journal.os.fsync

    def fsync(descriptor: int) -> None:
        assert gate.wait(10)
        real(descriptor)

    monkeypatch.setattr(journal.os, "fsync", fsync)
    return gate.set


async def test_a_second_call_is_made_only_when_the_first_is_on_disk(
    tmp_path: Path, slow_disk: Callable[[], None]
) -> None:
    path = tmp_path / "journal.jsonl"
    disk = Journal(path)
    tape = Tape("u", channel=Channel(LocalPool(disk), 0.0))
    tape.add(call(1))
    second = asyncio.create_task(tape.make(Parrot(), asked(2), "card", 2, 0))
    await asyncio.sleep(0.05)
    assert not second.done()
    slow_disk()
    tape.add(await asyncio.wait_for(second, 5))
    await tape.settle()
    await disk.close()
    events = [event for _, event in journal.read(path, ["u"])]
    assert [event["call"]["turn"] for event in events if "call" in event] == [1, 2]
    assert [event["start"][1] for event in events if "start" in event] == [2]


async def test_only_the_wanted_units_are_read_and_torn_lines_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    writer = Journal(path)
    await asyncio.gather(*(writer.append(journal.line(unit, {"n": n})) for n, unit in enumerate("abab")))
    await writer.close()
    with path.open("ab") as file:
        file.write(journal.line("a", {"n": 9})[:-4])  # a crash in the middle of a line
    heir = Journal(path)
    await heir.append(journal.line("a", {"n": 4}))
    await heir.close()
    assert list(journal.read(path, ["a"])) == [("a", {"n": 0}), ("a", {"n": 2}), ("a", {"n": 4})]


async def test_a_full_disk_reaches_whoever_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    disk = Journal(tmp_path / "journal.jsonl")
    tape = Tape("u", channel=Channel(LocalPool(disk), 0.0))
    monkeypatch.setattr(journal.os, "fsync", full)
    tape.add(call(1))
    with pytest.raises(OSError, match="No space"):
        await tape.settle()
    await disk.close()


async def test_a_journal_that_dies_fails_whoever_waits_and_the_next_event_goes_out_again(tmp_path: Path) -> None:
    class Dying(LocalPool[Journal]):
        lives = 1

        async def call(self, method: Any, route: str | None, *args: Any, **kw: Any) -> Any:
            if self.lives:
                self.lives -= 1
                raise Lost("the journal's actor died")
            return await super().call(method, route, *args, **kw)

    disk = Journal(tmp_path / "journal.jsonl")
    tape = Tape("u", channel=Channel(Dying(disk), 0.0))
    tape.add(call(1))
    with pytest.raises(Lost):
        await asyncio.wait_for(tape.settle(), 1)
    tape.add(call(2))
    await asyncio.wait_for(tape.settle(), 1)
    await disk.close()
    assert [event["call"]["turn"] for _, event in journal.read(disk.path, ["u"])] == [2]


async def test_a_start_without_its_reply_is_in_the_journal(tmp_path: Path) -> None:
    class Dead:
        spec = Spec(name="dead", model="x/y", family="dead")

        async def complete(self, request: Request) -> Reply:
            raise ConnectionResetError

    path = tmp_path / "journal.jsonl"
    disk = Journal(path)
    channel = Channel(LocalPool(disk), 0.0)
    tape = Tape("u", channel=channel)
    with pytest.raises(ConnectionResetError):
        await tape.make(Dead(), Request("card", {}, Call, 0.0), "card", 0, 0)
    await channel.send("u", {"end": 1})
    await disk.close()
    assert next(journal.read(path, ["u"])) == ("u", {"start": ["card", 0, 0]})


async def test_a_unit_that_is_cancelled_takes_no_others_acknowledgement_with_it(tmp_path: Path) -> None:
    disk = Journal(tmp_path / "journal.jsonl")
    channel = Channel(LocalPool(disk), 0.05)
    given_up, waiting = channel.send("a", {"n": 1}), channel.send("b", {"n": 2})
    given_up.cancel()
    await asyncio.wait_for(waiting, 1)
    await disk.close()
    assert list(journal.read(disk.path, ["a", "b"])) == [("a", {"n": 1}), ("b", {"n": 2})]
