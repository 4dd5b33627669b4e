"""What the journals hold of units that are to be played: where it stands is found once, and read when a unit begins.

Memory: sixteen bytes an event of a wanted unit, next to nothing for units without events.
"""

import fcntl
import os
from array import array
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

import orjson

from actors.errors import BadInput
from actors.found import Found
from actors.journal import Event, unit_of
from actors.recorded import Recorded
from pipelines.account import close_account
from pipelines.entry import RESTARTED
from pipelines.store import JOURNAL, Store, damaged


class Journals:
    """The events of some units, in all journals of a store."""

    def __init__(self, store: Store, units: Iterable[str]) -> None:
        self._store = store
        self._wanted = set(units)
        self._scanned: dict[str, int] = {}  # writer -> bytes of its journal
        self._spans: dict[str, dict[str, array[int]]] = {}  # unit -> writer -> offset, length, offset, length, ...
        self.rescan()

    def rescan(self) -> None:
        """Look at what was appended since: a unit has lost its actor, or another driver has died."""
        for writer in self._store.writers():
            for line, offset, length in self._tail(writer):
                unit = unit_of(line)[0]
                if unit in self._wanted:
                    self._spans.setdefault(unit, {}).setdefault(writer, array("q")).extend((offset, length))

    def _tail(self, writer: str) -> Iterator[tuple[str, int, int]]:
        try:
            file = (self._store.folder / writer / JOURNAL).open("rb")
        except FileNotFoundError:  # all of it is finished
            return
        with file:
            at = self._scanned.get(writer, 0)
            for unit, length in rows(file, at):
                if unit:
                    yield unit, at, length
                at += length
            self._scanned[writer] = at

    def more(self, units: Iterable[str]) -> None:
        """These are to be played too: all is read again."""
        self._wanted |= set(units)
        self._scanned, self._spans = {}, {}
        self.rescan()

    def forget(self, unit: str) -> None:
        """This unit has ended."""
        self._wanted.discard(unit)
        self._spans.pop(unit, None)

    def begun(self) -> list[str]:
        """The units of which there are events."""
        return list(self._spans)

    def recorded(self, unit: str) -> Recorded:
        """What an earlier life of the unit paid for: by its record, if it has one, and by the journals."""
        found = Found()
        entry = self._store.latest(unit)
        if entry is not None and entry.status != RESTARTED:
            record = self._store.record(unit)
            found.round = record.round + 1 if self._store.finished(unit) else 0
            found.add(Recorded(calls=tuple(record.calls), facts=tuple(record.facts)))
        for path, part, event in self._events(unit):
            try:
                found.take(part, event, f"{path} (of another version?)")
            except (TypeError, KeyError, ValueError, AttributeError):
                raise BadInput(damaged(path, f"an event of {unit}")) from None
        return found.recorded()

    def _events(self, unit: str) -> Iterator[tuple[Path, str, Event]]:
        since = self._store.restarted.get(unit, "")
        for writer, spans in sorted(self._spans.get(unit, {}).items()):
            path = self._store.folder / writer / JOURNAL
            if writer < since or not path.exists():  # void, or collected: somebody has finished it
                continue
            with path.open("rb") as file:
                for offset, length in zip(spans[::2], spans[1::2], strict=True):
                    row = os.pread(file.fileno(), length, offset)
                    line, _, said = row.partition(b"\t")
                    try:
                        yield path, unit_of(line.decode())[1], orjson.loads(said)
                    except orjson.JSONDecodeError:  # cut off by a crash: it was never acknowledged
                        continue


def rows(file: BinaryIO, begin: int) -> Iterator[tuple[str, int]]:
    """From ``begin`` on each whole line's unit, empty where it names none, and its length in bytes."""
    file.seek(begin)
    for row in file:
        if not row.endswith(b"\n"):
            return
        yield row[: max(row.find(b"\t"), 0)].decode(errors="replace"), len(row)


def collect(store: Store) -> None:
    """Remove the journals of dead writers in which nothing is open: their records hold all of it."""
    for writer in store.writers():
        path = store.folder / writer / JOURNAL
        if path.exists() and not store.alive(writer):
            with suppress(FileNotFoundError), path.open("r+b") as file:  # another driver may just have done it
                fcntl.flock(file, fcntl.LOCK_EX)  # one collector at a time
                units = {unit for unit, _ in rows(file, 0) if unit}
                done = os.fstat(file.fileno()).st_nlink and all(is_finished(store, unit) for unit in units)
                if done and close_account(path.parent):
                    path.unlink()


def is_finished(store: Store, unit: str) -> bool:
    """Whether it has ended well."""
    entry = store.finished(unit)
    return entry is not None and entry.status == "ok"
