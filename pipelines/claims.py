"""Who plays what: of several drivers on one store, each unit is played by one.

``store/claims.jsonl`` has one line a claim: the writer's name, then units. It is read and written under a lock on
itself, and a claim counts while its writer lives: a driver that ends or is killed frees its units by that alone.
A damaged or lost line, or file, stops nobody: at worst two drivers play one unit, and the later record counts.
"""

import fcntl
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from sys import intern
from typing import BinaryIO

import orjson

from pipelines.store import Store, Writer


class Claims:
    """A driver's view of the claims."""

    def __init__(self, store: Store, writer: Writer) -> None:
        self._store = store
        self._own = intern(writer.name)
        self._holders: dict[str, str] = {}
        self._offset = 0
        self.inherited: set[str] = set()
        """Units of ours that another driver had claimed before: it may have left calls of theirs."""
        with self._locked() as file:
            if not any(store.alive(name) for name in store.writers() if name != self._own):
                file.truncate(0)  # all of it is void

    def take(self, units: Sequence[str]) -> list[str]:
        """Those of ``units`` that are ours from now on: no other living driver holds them.

        The store is refreshed after that is known, so `Store.finished` tells of each whether another driver finished it
        before it became ours. OSError if the disk refuses: then nothing was claimed.
        """
        with self._locked() as file:
            self._read(file)
            holders = {name for unit in units if (name := self._holders.get(unit))} - {self._own}
            living = {name for name in holders if self._store.alive(name)}
            ours = [unit for unit in units if self._holders.get(unit) not in living]
            self._store.refresh(holders)
            new = [unit for unit in ours if self._holders.get(unit) != self._own]
            self.inherited.update(unit for unit in new if unit in self._holders)
            if new:
                self._write(file, new)
        return ours

    @contextmanager
    def _locked(self) -> Iterator[BinaryIO]:
        with (self._store.folder / "claims.jsonl").open("a+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield file

    def _read(self, file: BinaryIO) -> None:
        size = file.seek(0, 2)
        if size < self._offset:  # another file than before: all that it says is new
            self._offset = 0
        file.seek(self._offset)
        for row in file.read().splitlines():
            try:
                writer, *units = map(intern, orjson.loads(row))
            except (ValueError, TypeError):  # its writer died in the middle of it, or somebody spoiled it
                continue
            self._holders.update(dict.fromkeys(units, writer))
        self._offset = size

    def _write(self, file: BinaryIO, units: list[str]) -> None:
        """A line of its own, whatever a driver that was killed left behind."""
        file.write(b"\n" + orjson.dumps([self._own, *units]) + b"\n")
        file.flush()
        self._offset = file.tell()
        self._holders.update(dict.fromkeys(map(intern, units), self._own))
