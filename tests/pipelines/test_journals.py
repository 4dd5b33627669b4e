"""Unfinished units come back from their calls; journals are read by their tails and go when all in them is done."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import pytest

import pipelines.journals as journals_module
from actors.errors import BadInput, ErrorKind
from actors.journal import Journal, line
from actors.model import Reply
from actors.record import Record
from actors.recorded import Call
from pipelines.account import open_account
from pipelines.journals import Journals, collect
from pipelines.store import Store, Writer


def call(turn: int, text: str = "x") -> Call:
    reply = Reply(text=text, latency=0.0)
    return Call(seat="card", turn=turn, attempt=0, round=0, caller="m", prompt="p", reply=reply, started_at=0.0)


def record(unit: str, text: str = "x", status: str = "ok", round: int = 0) -> Record:
    kind = None if status == "ok" else ErrorKind.INVALID
    return Record(unit=unit, status=status, error_kind=kind, round=round, rows={}, calls=[call(0, text)])


def event(unit: str, one: Call) -> bytes:
    return line(unit, {"call": one.model_dump()})


def journaled(path: Path, unit: str, *calls: Call) -> None:
    async def append() -> None:
        journal = Journal(path)
        for one in calls:
            await journal.append(line(unit, {"start": [one.seat, one.turn, one.attempt]}))
            await journal.append(event(unit, one))
        await journal.append(line(unit, {"start": ["card", 99, 0]}))
        await journal.close()

    asyncio.run(append())


def killed(writer: Writer) -> None:
    """What kill -9 does to a driver's files."""
    writer._finished.close()
    writer._index.close()
    writer._lock.close()


def test_calls_of_an_unfinished_unit_come_back_with_its_lost_start(tmp_path: Path) -> None:
    writer = Writer(Store(tmp_path))
    writer.begin("a")
    journaled(writer.journal, "a", call(0), call(10))
    writer.close()
    journals = Journals(Store(tmp_path), ["a", "b"])
    recorded = journals.recorded("a")
    assert [one.turn for one in recorded.calls] == [0, 10]
    assert recorded.starts == (("", ("card", 99, 0)),)
    assert recorded.round == 0
    assert journals.recorded("b").calls == ()
    assert journals.begun() == ["a"]


def test_a_failed_unit_comes_back_in_the_next_round(tmp_path: Path) -> None:
    writer = Writer(Store(tmp_path))
    writer.finish([record("a", status="error", round=1)])
    writer.close()
    recorded = Journals(Store(tmp_path), ["a"]).recorded("a")
    assert (recorded.round, len(recorded.calls)) == (2, 1)


def test_a_unit_that_force_opened_begins_from_nothing_and_older_journals_are_void(tmp_path: Path) -> None:
    first = Writer(Store(tmp_path))
    first.begin("a")
    journaled(first.journal, "a", call(0, "old"), call(10, "old"))
    first.finish([record("a", "old", status="error")])
    first.begin("other")  # so that the journal stays
    first.close()
    store = Store(tmp_path)
    second = Writer(store)
    second.restart("a")
    second.begin("a")
    assert store.finished("a") is None
    assert Journals(store, ["a"]).recorded("a").calls == ()
    journaled(second.journal, "a", call(0, "new"))
    second.close()
    recorded = Journals(Store(tmp_path), ["a"]).recorded("a")
    assert (recorded.round, [one.reply.text for one in recorded.calls]) == (0, ["new"])
    third = Writer(Store(tmp_path))
    third.finish([record("a", "newest")])
    third.close()
    assert Store(tmp_path).record("a").calls[0].reply.text == "newest"


def test_tails_are_read_once_and_a_torn_event_when_it_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    rows = journals_module.rows

    def watched(file: BinaryIO, begin: int) -> Iterator[tuple[str, int]]:
        for unit, length in rows(file, begin):
            seen.append(unit)
            yield unit, length

    monkeypatch.setattr(journals_module, "rows", watched)
    store = Store(tmp_path)
    writer = Writer(store)
    first, second = event("a", call(0, "one")), event("a", call(10, "two"))
    writer.journal.write_bytes(first + event("other", call(0)) + second[:-7])
    journals = Journals(store, ["a", "b"])
    assert [one.reply.text for one in journals.recorded("a").calls] == ["one"]
    assert seen == ["a", "other"]
    writer.journal.write_bytes(first + event("other", call(0)) + second + event("b", call(0)))
    assert [one.turn for one in journals.recorded("a").calls] == [0]
    journals.rescan()
    journals.rescan()
    assert [one.reply.text for one in journals.recorded("a").calls] == ["one", "two"]
    assert seen == ["a", "other", "a", "b"]
    assert journals.begun() == ["a", "b"]
    journals.forget("a")
    assert journals.begun() == ["b"]
    writer.close()


def test_a_line_cut_off_by_a_crash_is_left_out_and_what_follows_it_counts(tmp_path: Path) -> None:
    writer = Writer(Store(tmp_path))
    writer.begin("a")
    writer.journal.write_bytes(event("a", call(0, "one"))[:-20])
    journaled(writer.journal, "a", call(10, "two"))
    writer.close()
    assert [one.reply.text for one in Journals(Store(tmp_path), ["a"]).recorded("a").calls] == ["two"]


def test_calls_of_two_drivers_and_of_the_old_record_come_together(tmp_path: Path) -> None:
    one, two = Writer(Store(tmp_path)), Writer(Store(tmp_path))
    one.finish([record("a", "failed", status="error")])
    one.begin("a")
    journaled(one.journal, "a", call(10, "one"))
    two.begin("a")
    journaled(two.journal, "a", call(10, "two"), call(20, "two"))
    recorded = Journals(Store(tmp_path), ["a"]).recorded("a")
    assert [(made.turn, made.reply.text) for made in recorded.calls] == [(0, "failed"), (10, "one"), (20, "two")]
    assert recorded.starts == (("", ("card", 99, 0)),) * 2
    one.close()
    two.close()


def test_a_journal_that_went_meanwhile_is_as_if_it_were_empty(tmp_path: Path) -> None:
    writer = Writer(Store(tmp_path))
    journaled(writer.journal, "a", call(0))
    journals = Journals(Store(tmp_path), ["a"])
    writer.close()
    assert journals.recorded("a").calls == ()
    journals.rescan()


@pytest.mark.parametrize("content", [b"a\t3\n", b"a\t{}\n", b'a\t{"start": 3}\n', b'a\t{"start": ["a"]}\n'])
def test_a_damaged_journal_is_named(tmp_path: Path, content: bytes) -> None:
    writer = Writer(Store(tmp_path))
    writer.begin("a")
    writer.journal.write_bytes(content)
    writer.close()
    with pytest.raises(BadInput, match="an event of a is damaged"):
        Journals(Store(tmp_path), ["a"]).recorded("a")


def test_the_journal_of_a_dead_driver_goes_when_all_in_it_is_finished_and_its_account_stays(tmp_path: Path) -> None:
    dead, alive = Writer(Store(tmp_path)), Writer(Store(tmp_path))
    journaled(dead.journal, "a", call(0))
    journaled(dead.journal, "b", call(0))
    journaled(alive.journal, "a", call(0))
    open_account(dead.folder, ("run",))
    said = json.loads((dead.folder / "account.json").read_text())
    killed(dead)
    alive.finish([record("a")])
    collect(Store(tmp_path))
    assert dead.journal.exists()
    alive.finish([record("b", status="error")])
    collect(Store(tmp_path))
    assert dead.journal.exists()
    assert json.loads((dead.folder / "account.json").read_text()) == said
    alive.finish([record("b")])
    collect(Store(tmp_path))
    assert not dead.journal.exists()
    assert alive.journal.exists()
    account = json.loads((dead.folder / "account.json").read_text())
    assert account["closed"]
    assert account["requests"] == 4
    alive.close()
