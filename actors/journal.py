"""The journal: what was paid for is on disk before it is used.

A `Journal` is one append-only file, written by one process. A line is the unit's id, with # and a part where it
has several that go on beside each other, a tab, and JSON. Guards against a
crash of any process or of the machine; not against a disk that lies about fsync.
"""

import asyncio
import os
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import orjson

Event = dict[str, Any]


class Journal:
    """One append-only file. Appends that arrive while another is being synced are synced together."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("ab")
        if path.stat().st_size:
            self._file.write(b"\n")  # whoever wrote here before may have died in the middle of a line
        self._waiting: list[tuple[bytes, asyncio.Future[None]]] = []
        self._writer: asyncio.Task[None] | None = None

    async def append(self, lines: bytes) -> None:
        """Write whole lines; returns when they are synced. OSError if the disk refuses."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((lines, done))
        if self._writer is None or self._writer.done():
            self._writer = asyncio.create_task(self._drain())
        await done

    async def _drain(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting, []
            try:
                await asyncio.to_thread(self._sync, b"".join(lines for lines, _ in batch))
            except OSError as error:
                for _, done in batch:
                    if not done.done():
                        done.set_exception(error)
                continue
            for _, done in batch:
                if not done.done():
                    done.set_result(None)

    def _sync(self, data: bytes) -> None:
        self._file.write(data)
        self._file.flush()
        os.fsync(self._file.fileno())

    async def close(self) -> None:
        """Close the file when what was appended is synced."""
        if self._writer is not None:
            await self._writer
        self._file.close()


def line_of(unit: str, part: str) -> str:
    """What the journal's lines of a part of a unit begin with."""
    return f"{unit}#{part}" if part else unit


def unit_of(line: str) -> tuple[str, str]:
    """The inverse: unit and part."""
    unit, _, part = line.partition("#")
    return unit, part


def line(unit: str, event: Event) -> bytes:
    """One journal line."""
    return unit.encode() + b"\t" + orjson.dumps(event) + b"\n"


def read(path: Path, units: Collection[str] | None = None) -> Iterator[tuple[str, Event]]:
    """The events of the given units, in order, or of all; a line cut off by a crash was never acknowledged."""
    wanted = None if units is None else {unit.encode() for unit in units}
    try:
        file = path.open("rb")
    except FileNotFoundError:  # its driver has just ended, and with it the need for it
        return
    with file:
        for row in file:
            unit, tab, event = row.partition(b"\t")
            if tab and (wanted is None or unit in wanted):
                with suppress(orjson.JSONDecodeError):
                    yield unit.decode(), orjson.loads(event)
