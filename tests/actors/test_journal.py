"""The journal: what is acknowledged is on disk, in order; what a crash cut off is left out."""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from actors import journal
from actors.amount import Amount
from actors.budget import Caps, Earlier
from actors.channel import Channel
from actors.desk import Desk
from actors.errors import ErrorKind, UnitFault
from actors.journal import Journal
from actors.model import Reply, Spec
from actors.pool import LocalPool, Lost
from actors.prompt import Request
from actors.recorded import Call
from actors.replay import Tape


def call(turn: int) -> Call:
    reply = Reply(text=f"t{turn}", latency=0.0)
    return Call(seat="card", turn=turn, attempt=0, round=0, caller="m", prompt="p", reply=reply, started_at=0.0)


def asked(turn: int) -> Request:
    return Request("card", {"n": turn}, Call, 0.0)


def open_desk(folder: Path) -> Desk:
    return Desk(folder, ("run",), Caps(), Earlier(), time.time())


class Parrot:
    """A model that answers at once."""

    spec = Spec(name="parrot", model="x/y", family="bird")

    def ceiling(self, request: Request) -> Amount:
        return Amount()

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
    disk = open_desk(tmp_path)
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

    disk = open_desk(tmp_path)
    tape = Tape("u", channel=Channel(LocalPool(disk), 0.0))
    monkeypatch.setattr(journal.os, "fsync", full)
    tape.add(call(1))
    with pytest.raises(OSError, match="No space"):
        await tape.settle()
    await disk.close()


class Dying(LocalPool[Desk]):
    """A desk whose actor dies with the first message."""

    lives = 1

    async def call(self, method: Any, route: str | None, *args: Any, **kw: Any) -> Any:
        if self.lives:
            self.lives -= 1
            raise Lost("the desk's actor died")
        return await super().call(method, route, *args, **kw)


async def test_a_desk_that_dies_fails_whoever_waits_and_the_next_reply_goes_out_again(tmp_path: Path) -> None:
    disk = open_desk(tmp_path)
    tape = Tape("u", channel=Channel(Dying(disk), 0.0))
    tape.add(call(1))
    with pytest.raises(Lost):
        await asyncio.wait_for(tape.settle(), 1)
    tape.add(call(2))
    await asyncio.wait_for(tape.settle(), 1)
    await disk.close()
    events = journal.read(tmp_path / "journal.jsonl", ["u"])
    assert [event["call"]["turn"] for _, event in events] == [2]


async def test_no_call_is_made_on_a_reply_that_the_desk_lost(tmp_path: Path) -> None:
    disk = open_desk(tmp_path)
    tape = Tape("u", channel=Channel(Dying(disk), 0.0))
    tape.add(call(1))
    await asyncio.sleep(0.05)  # its message went down with the desk, the next one is taken
    with pytest.raises(Lost):
        await tape.make(Parrot(), asked(2), "card", 2, 0)
    await disk.close()


async def test_a_start_without_its_reply_is_in_the_journal(tmp_path: Path) -> None:
    class Dead(Parrot):
        async def complete(self, request: Request) -> Reply:
            raise ConnectionResetError

    disk = open_desk(tmp_path)
    tape = Tape("u", channel=Channel(LocalPool(disk), 0.0))
    with pytest.raises(ConnectionResetError):
        await tape.make(Dead(), asked(0), "card", 0, 0)
    await disk.close()
    assert list(journal.read(tmp_path / "journal.jsonl")) == [("u", {"start": ["card", 0, 0], "most": [0, 0]})]


async def test_a_call_whose_actor_dies_is_made_again_and_counted(tmp_path: Path) -> None:
    class Mortal(Parrot):
        deaths = 2

        async def complete(self, request: Request) -> Reply:
            if self.deaths:
                self.deaths -= 1
                raise Lost("died")
            return await super().complete(request)

    disk = open_desk(tmp_path)
    tape = Tape("u", channel=Channel(LocalPool(disk), 0.0))
    made = await tape.make(Mortal(), asked(0), "card", 0, 0)
    assert made.lost == 2
    mortal = Mortal()
    mortal.deaths = 3
    with pytest.raises(UnitFault, match="3 actors died") as fault:
        await tape.make(mortal, asked(1), "card", 1, 0)
    assert fault.value.kind is ErrorKind.LOST
    await disk.close()
    starts = [event["start"] for _, event in journal.read(tmp_path / "journal.jsonl")]
    assert starts == [["card", 0, 0]] * 3 + [["card", 1, 0]] * 3


async def test_a_unit_that_is_cancelled_takes_no_others_acknowledgement_with_it(tmp_path: Path) -> None:
    disk = open_desk(tmp_path)
    channel = Channel(LocalPool(disk), 0.05)
    event = {"call": call(1).model_dump()}
    given_up, waiting = channel.hand_in("a", event), channel.hand_in("b", event)
    given_up.cancel()
    await asyncio.wait_for(waiting, 1)
    await disk.close()
    assert [unit for unit, _ in journal.read(tmp_path / "journal.jsonl", ["a", "b"])] == ["a", "b"]
