"""The one place under outputs/ where everything that was paid for is kept, whichever run paid.

    store/<writer>/journal.jsonl    calls of units under way (actors/journal.py)
    store/<writer>/finished.jsonl   one line a finished unit: its Record
    store/<writer>/index.jsonl      one line a finished unit: where its record stands
    store/<writer>/lock             locked while the driver lives
    store/<writer>/account.json     what it has spent (pipelines/account.py)
    store/<writer>/limits.jsonl     how its endpoints' limits changed (actors/limit.py)
    store/claims.jsonl              who plays what (pipelines/claims.py)

A driver writes to a folder of its own and reads everybody's, so two drivers at once, on one disk or a shared one,
cannot harm each other's files. If a unit was played twice all the same, the later record counts.
"""

import fcntl
import os
import secrets
import shutil
import time
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from actors.errors import BadInput
from actors.record import Record
from actors.row import parse
from pipelines.entry import RESTARTED, Entry, parsed
from pipelines.spent import spent

INDEX, FINISHED, JOURNAL, LOCK = "index.jsonl", "finished.jsonl", "journal.jsonl", "lock"


class Store:
    """Finished units and the journals of those under way, as they were when it was made and at each `refresh`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._index: dict[str, Entry] = {}
        self._read: dict[str, int] = {}  # writer -> the bytes of its index that were taken in
        self._ended: set[str] = set()  # writers that are dead, their index read to its end
        self._own: set[str] = set()  # writers that tell this object themselves
        self.restarted: dict[str, str] = {}  # unit -> the writer that began it anew: what older writers hold is void
        self.refresh()

    def prepare(self) -> None:
        """BadInput where nothing can be kept: better before anything is written elsewhere than after."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BadInput(unwritable(self.folder, error)) from None

    def writers(self) -> list[str]:
        """The names of all that have written, oldest first."""
        try:
            with os.scandir(self.folder) as found:
                return sorted(one.name for one in found if one.is_dir() and not one.name.startswith("."))
        except (FileNotFoundError, NotADirectoryError):  # the writer says so
            return []

    def alive(self, writer: str) -> bool:
        """Whether a driver still holds its folder's lock. On a shared disk a lost host counts until its lease ends."""
        if writer in self._ended:
            return False
        try:
            with (self.folder / writer / LOCK).open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except FileNotFoundError:
            return False
        except BlockingIOError:
            return True
        return False

    def refresh(self, writers: Iterable[str] = ()) -> None:
        """Take in what was added since. ``writers``: known by name, if a shared disk does not list them yet."""
        for name in sorted({*self.writers(), *writers} - self._ended - self._own):
            ended = not self.alive(name)
            self._read_index(name)
            if ended:
                self._ended.add(name)

    def _read_index(self, writer: str) -> None:
        path, begin = self.folder / writer / INDEX, self._read.get(writer, 0)
        try:
            with path.open("rb") as file:
                file.seek(begin)
                tail = file.read()
        except FileNotFoundError:  # a driver that had nothing to keep has just ended
            return
        whole = tail.rfind(b"\n") + 1  # what follows is being written, or was cut off: the journal still has the calls
        for row in tail[:whole].splitlines():
            try:
                self.enter(parsed(row, writer))
            except (ValueError, TypeError):
                number = path.read_bytes().splitlines().index(row) + 1
                raise BadInput(damaged(path, f"line {number}")) from None
        self._read[writer] = begin + whole

    def enter(self, entry: Entry) -> None:
        """Take a line of an index in; the latest counts."""
        if entry.status == RESTARTED:
            self.restarted[entry.unit] = entry.writer
        known = self._index.get(entry.unit)
        if known is None or known.finished_at <= entry.finished_at:
            self._index[entry.unit] = entry

    def written_by(self, writer: str) -> None:
        """This writer enters its lines itself."""
        self._own.add(writer)

    def units(self) -> list[str]:
        """Every unit that has ended."""
        return [unit for unit in self._index if self.finished(unit)]

    def latest(self, unit: str) -> Entry | None:
        """The last line of any index about a unit, whether or not it still counts."""
        return self._index.get(unit)

    def finished(self, unit: str) -> Entry | None:
        """The index's entry of a unit that has ended, well or not, and whose parent is still as it was then."""
        entry = self._index.get(unit)
        if entry is None or entry.status == RESTARTED:
            return None
        if entry.parent is not None:
            parent = self.finished(entry.parent)
            if parent is None or parent.digest != entry.parent_digest:
                return None
        return entry

    def record(self, unit: str) -> Record:
        """The record of a unit that has ended."""
        return parse(Record, self.plain(unit), f"{self._place(unit)} (of another version?)")

    def _place(self, unit: str) -> Path:
        return self.folder / self._index[unit].writer / FINISHED

    def plain(self, unit: str) -> dict[str, Any]:
        """The same as a plain dict, unchecked: for going through many."""
        entry, path = self._index[unit], self._place(unit)
        try:
            with path.open("rb") as file:
                file.seek(entry.offset)
                record: dict[str, Any] = orjson.loads(file.read(entry.length))
        except (FileNotFoundError, orjson.JSONDecodeError):
            raise BadInput(damaged(path, unit)) from None
        return record


class Writer:
    """A driver's own folder in the store, locked for its life. Records are synced before the index names them."""

    def __init__(self, store: Store) -> None:
        self._store = store
        stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S-%f")  # names sort by age
        self.name = f"{stamp}-{os.getpid()}-{secrets.token_hex(2)}"
        self.folder = store.folder / self.name
        aside = self.folder.with_name(f".{self.name}")
        try:
            aside.mkdir(parents=True)
            self._lock = (aside / LOCK).open("wb")
            fcntl.flock(self._lock, fcntl.LOCK_EX)
            aside.rename(self.folder)  # nobody sees a writer that is not locked yet
            self._finished = (self.folder / FINISHED).open("ab")
            self._index = (self.folder / INDEX).open("ab")
        except OSError as error:
            raise BadInput(unwritable(store.folder, error)) from None
        store.written_by(self.name)
        self._offset = 0
        self._open: set[str] = set()

    @property
    def journal(self) -> Path:
        """The file for calls of units under way."""
        return self.folder / JOURNAL

    def restart(self, unit: str) -> None:
        """This unit is open again, and begins from nothing; its old record stays on disk, unseen."""
        self._enter(Entry(unit, RESTARTED, 0, time.time(), 0, 0, "", None, None, None, self.name))
        sync(self._index)

    def _enter(self, entry: Entry) -> None:
        self._index.write(entry.line())
        self._store.enter(entry)

    def begin(self, unit: str) -> None:
        """A unit is under way: the journal is needed until it is finished."""
        self._open.add(unit)

    def finish(self, records: list[Record]) -> None:
        """Put finished units on disk, synced, then into the index."""
        entries = []
        for record in records:
            record = self._stamped(record)
            row = record.model_dump_json().encode() + b"\n"
            self._finished.write(row)
            about = (record.unit, record.status, record.round, record.finished_at, self._offset, len(row))
            sums = spent(call.reply for call in record.calls)
            entries.append(Entry(*about, record.digest, record.parent, record.parent_digest, sums, self.name))
            self._offset += len(row)
        sync(self._finished)
        for entry in entries:
            self._enter(entry)
            self._open.discard(entry.unit)
        sync(self._index)

    def _stamped(self, record: Record) -> Record:
        """With the driver's time: what counts as the latest may not hang on the clocks of several machines."""
        known = self._store.latest(record.unit)
        return record.model_copy(update={"finished_at": max(time.time(), known.finished_at if known else 0.0)})

    def close(self, keep_journal: bool = False) -> None:
        """Close; the journal goes if every unit that was begun is finished, and the folder if nothing was played."""
        self._finished.close()
        self._index.close()
        if not self._open and not keep_journal:
            self.journal.unlink(missing_ok=True)
        played = (self.folder / name for name in (JOURNAL, FINISHED, INDEX))
        if any(path.exists() and path.stat().st_size for path in played):
            (self.folder / LOCK).unlink(missing_ok=True)
        else:
            shutil.rmtree(self.folder)
        self._lock.close()


def unwritable(folder: Path, error: OSError) -> str:
    """What to say of a store that cannot be written."""
    return f"{folder}: cannot be written ({error.strerror}); set outputs= or store= to a folder that can"


def damaged(path: Path, what: str) -> str:
    """What to say of a file of the store that cannot be read."""
    return f"{path}: {what} is damaged; restore it, or move {path.parent} out of the store to do without it"


def sync(file: BinaryIO) -> None:
    """Everything written is on disk."""
    file.flush()
    os.fsync(file.fileno())
