"""The one place under outputs/ where everything that was paid for is kept, whichever run paid.

    store/<writer>/journal.jsonl    calls of units under way (actors/journal.py)
    store/<writer>/finished.jsonl   one line a finished unit: its Record
    store/<writer>/index.jsonl      one line a finished unit: where its record stands

A driver writes to a folder of its own and reads everybody's, so two drivers at once, on one disk or a shared one,
cannot harm each other's files. They may play the same unit twice; the later record counts.
"""

import os
import secrets
import shutil
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from actors.errors import BadInput
from actors.journal import read
from actors.record import Record, Recorded
from actors.replay import Call, Place
from actors.row import parse

RESTARTED = "restarted"  # the status of a unit that force=true has opened again


@dataclass(frozen=True)
class Entry:
    """Where a finished unit's record stands, and what a look at the index should tell."""

    status: str
    round: int
    finished_at: float
    path: Path
    offset: int
    length: int


class Store:
    """Finished units and the journals of those under way."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.index: dict[str, Entry] = {}
        self.restarted: dict[str, str] = {}  # unit -> the writer that began it anew: what older writers hold is void
        for path in sorted(folder.glob("*/index.jsonl")):
            with suppress(FileNotFoundError):  # a driver that had nothing to keep has just ended
                self._read_index(path)

    def _read_index(self, path: Path) -> None:
        records = path.with_name("finished.jsonl")
        for row in path.read_bytes().splitlines(keepends=True):
            if not row.endswith(b"\n"):
                continue  # cut off by a crash; the journal still has the calls
            unit, status, round, finished_at, offset, length = orjson.loads(row)
            if status == RESTARTED:
                self.restarted[unit] = path.parent.name
            known = self.index.get(unit)
            if known is None or known.finished_at <= finished_at:
                self.index[unit] = Entry(status, round, finished_at, records, offset, length)

    def finished(self, unit: str) -> Entry | None:
        """The index's entry of a unit that has ended, well or not."""
        entry = self.index.get(unit)
        return None if entry is None or entry.status == RESTARTED else entry

    def record(self, unit: str) -> Record:
        """The record of a finished unit."""
        return Record.model_validate_json(self._read(self.index[unit]))

    def plain(self, unit: str) -> dict[str, Any]:
        """The same as a plain dict, unchecked: for going through many."""
        record: dict[str, Any] = orjson.loads(self._read(self.index[unit]))
        return record

    def _read(self, entry: Entry) -> bytes:
        with entry.path.open("rb") as file:
            file.seek(entry.offset)
            return file.read(entry.length)

    def recorded(self, units: Iterable[str]) -> dict[str, Recorded]:
        """For units that are to be played: the calls that an earlier life of theirs paid for."""
        wanted = set(units)
        calls: dict[str, dict[tuple[Place, str], Call]] = {unit: {} for unit in wanted}
        starts: dict[str, list[Place]] = {unit: [] for unit in wanted}
        rounds = dict.fromkeys(wanted, 0)
        for unit in filter(self.finished, wanted):
            record = self.record(unit)
            rounds[unit] = record.round + 1
            calls[unit] = {(call.place, call.after): call for call in record.calls}
        for path in sorted(self.folder.glob("*/journal.jsonl")):
            for unit, event in read(path, wanted):
                if path.parent.name < self.restarted.get(unit, ""):
                    continue
                if "start" in event:
                    starts[unit].append(tuple(event["start"]))
                else:
                    call = parse(Call, event["call"], f"{path} (of another version?)")
                    calls[unit].setdefault((call.place, call.after), call)
        return {unit: recorded(rounds[unit], list(calls[unit].values()), starts[unit]) for unit in wanted}


def recorded(round: int, calls: list[Call], starts: list[Place]) -> Recorded:
    """What is known of one unit; a start whose call is there is no lost one."""
    made = {call.place for call in calls}
    return Recorded(round=round, calls=tuple(calls), starts=tuple(place for place in starts if place not in made))


class Writer:
    """A driver's own folder in the store. Records are synced before the index names them."""

    def __init__(self, store: Store) -> None:
        self._store = store
        stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S-%f")  # names sort by age
        self.folder = store.folder / f"{stamp}-{os.getpid()}-{secrets.token_hex(2)}"
        try:
            self.folder.mkdir(parents=True)
            self._finished = (self.folder / "finished.jsonl").open("ab")
            self._index = (self.folder / "index.jsonl").open("ab")
        except OSError as error:
            raise BadInput(
                f"{store.folder}: cannot be written ({error.strerror}); set store= to a folder that can"
            ) from None
        self._offset = 0
        self._open: set[str] = set()

    @property
    def journal(self) -> Path:
        """The file for calls of units under way."""
        return self.folder / "journal.jsonl"

    def restart(self, units: Iterable[str]) -> None:
        """These units are open again, and begin from nothing; their old records stay on disk, unseen."""
        for unit in units:
            place = (unit, RESTARTED, 0, time.time(), 0, 0)
            self._index.write(orjson.dumps(place) + b"\n")
            self._store.index[unit] = Entry(RESTARTED, 0, place[3], self.folder / "finished.jsonl", 0, 0)
            self._store.restarted[unit] = self.folder.name
        sync(self._index)

    def begin(self, unit: str) -> None:
        """A unit is under way: the journal is needed until it is finished."""
        self._open.add(unit)

    def finish(self, records: list[Record]) -> None:
        """Put finished units on disk, synced, then into the index."""
        entries = []
        for record in records:
            row = record.model_dump_json().encode() + b"\n"
            self._finished.write(row)
            entries.append((record, self._offset, len(row)))
            self._offset += len(row)
        sync(self._finished)
        for record, offset, length in entries:
            place = (record.unit, record.status, record.round, record.finished_at, offset, length)
            self._index.write(orjson.dumps(place) + b"\n")
            self._store.index[record.unit] = Entry(
                record.status, record.round, record.finished_at, self.folder / "finished.jsonl", offset, length
            )
            self._open.discard(record.unit)
        sync(self._index)

    def close(self) -> None:
        """Close; the journal goes if every unit that was begun is finished, and the folder if nothing is in it."""
        self._finished.close()
        self._index.close()
        if not self._open:
            self.journal.unlink(missing_ok=True)
        if not any(path.stat().st_size for path in self.folder.iterdir()):
            shutil.rmtree(self.folder)


def sync(file: BinaryIO) -> None:
    """Everything written is on disk."""
    file.flush()
    os.fsync(file.fileno())
