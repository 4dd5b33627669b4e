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
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import orjson

from actors.errors import BadInput
from actors.journal import read
from actors.record import Record, Recorded
from actors.replay import Call, Place
from actors.row import parse

RESTARTED = "restarted"  # the status of a unit that force=true has opened again


class Entry(NamedTuple):
    """A line of an index: where a unit's record stands, and what a look at the index should tell."""

    unit: str
    status: str
    round: int
    finished_at: float
    offset: int
    length: int
    digest: str
    parent: str | None
    parent_digest: str | None


class Store:
    """Finished units and the journals of those under way."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._index: dict[str, tuple[Entry, Path]] = {}
        self.restarted: dict[str, str] = {}  # unit -> the writer that began it anew: what older writers hold is void
        for path in sorted(folder.glob("*/index.jsonl")):
            with suppress(FileNotFoundError):  # a driver that had nothing to keep has just ended
                self._read_index(path)

    def _read_index(self, path: Path) -> None:
        for number, row in enumerate(path.read_bytes().splitlines(keepends=True), 1):
            if not row.endswith(b"\n"):
                continue  # cut off by a crash; the journal still has the calls
            try:
                self.enter(Entry(*orjson.loads(row)), path.parent)
            except (ValueError, TypeError):
                raise BadInput(damaged(path, f"line {number}")) from None

    def enter(self, entry: Entry, writer: Path) -> None:
        """Take a line of a writer's index in; the latest counts."""
        if entry.status == RESTARTED:
            self.restarted[entry.unit] = writer.name
        known = self._index.get(entry.unit)
        if known is None or known[0].finished_at <= entry.finished_at:
            self._index[entry.unit] = entry, writer / "finished.jsonl"

    def units(self) -> list[str]:
        """Every unit that has ended."""
        return [unit for unit in self._index if self.finished(unit)]

    def finished(self, unit: str) -> Entry | None:
        """The index's entry of a unit that has ended, well or not, and whose parent is still as it was then."""
        entry, _ = self._index.get(unit, (None, None))
        if entry is None or entry.status == RESTARTED:
            return None
        if entry.parent is not None:
            parent = self.finished(entry.parent)
            if parent is None or parent.digest != entry.parent_digest:
                return None
        return entry

    def record(self, unit: str) -> Record:
        """The record of a unit that has ended."""
        return parse(Record, self.plain(unit), f"{self._index[unit][1]} (of another version?)")

    def plain(self, unit: str) -> dict[str, Any]:
        """The same as a plain dict, unchecked: for going through many."""
        entry, path = self._index[unit]
        try:
            with path.open("rb") as file:
                file.seek(entry.offset)
                record: dict[str, Any] = orjson.loads(file.read(entry.length))
        except (FileNotFoundError, orjson.JSONDecodeError):
            raise BadInput(damaged(path, unit)) from None
        return record

    def recorded(self, units: Iterable[str]) -> dict[str, Recorded]:
        """For units that are to be played: the calls that an earlier life of theirs paid for."""
        wanted = set(units)
        calls: dict[str, dict[tuple[Place, str], Call]] = {unit: {} for unit in wanted}
        starts: dict[str, list[Place]] = {unit: [] for unit in wanted}
        rounds = dict.fromkeys(wanted, 0)
        for unit in wanted:
            if unit not in self._index or self._index[unit][0].status == RESTARTED:
                continue
            record = self.record(unit)
            rounds[unit] = record.round + 1 if self.finished(unit) else 0
            calls[unit] = {(call.place, call.after): call for call in record.calls}
        for path in sorted(self.folder.glob("*/journal.jsonl")):
            for unit, event in read(path, wanted):
                if path.parent.name < self.restarted.get(unit, ""):
                    continue
                try:
                    if "start" in event:
                        seat, turn, attempt = event["start"]
                        starts[unit].append((seat, turn, attempt))
                    else:
                        call = parse(Call, event["call"], f"{path} (of another version?)")
                        calls[unit].setdefault((call.place, call.after), call)
                except (TypeError, KeyError, ValueError):
                    raise BadInput(damaged(path, f"an event of {unit}")) from None
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

    def restart(self, unit: str) -> None:
        """This unit is open again, and begins from nothing; its old record stays on disk, unseen."""
        self._enter(Entry(unit, RESTARTED, 0, time.time(), 0, 0, "", None, None))
        sync(self._index)

    def _enter(self, entry: Entry) -> None:
        self._index.write(orjson.dumps(tuple(entry)) + b"\n")
        self._store.enter(entry, self.folder)

    def begin(self, unit: str) -> None:
        """A unit is under way: the journal is needed until it is finished."""
        self._open.add(unit)

    def finish(self, records: list[Record]) -> None:
        """Put finished units on disk, synced, then into the index."""
        entries = []
        for record in records:
            row = record.model_dump_json().encode() + b"\n"
            self._finished.write(row)
            about = (record.unit, record.status, record.round, record.finished_at, self._offset, len(row))
            entries.append(Entry(*about, record.digest, record.parent, record.parent_digest))
            self._offset += len(row)
        sync(self._finished)
        for entry in entries:
            self._enter(entry)
            self._open.discard(entry.unit)
        sync(self._index)

    def close(self) -> None:
        """Close; the journal goes if every unit that was begun is finished, and the folder if nothing is in it."""
        self._finished.close()
        self._index.close()
        if not self._open:
            self.journal.unlink(missing_ok=True)
        if not any(path.stat().st_size for path in self.folder.iterdir()):
            shutil.rmtree(self.folder)


def damaged(path: Path, what: str) -> str:
    """What to say of a file of the store that cannot be read."""
    return f"{path}: {what} is damaged; restore it, or move {path.parent} out of the store to do without it"


def sync(file: BinaryIO) -> None:
    """Everything written is on disk."""
    file.flush()
    os.fsync(file.fileno())
