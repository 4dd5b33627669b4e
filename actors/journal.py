"""The journal: what was paid for is on disk before it is used.

A `Journal` is one append-only file, written by one process; a `Channel` is an actor's way to it. A line is the unit's
id, a tab, and JSON. Guards against a crash of any process or of the machine; not against a disk that lies about fsync.
"""

import asyncio
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import orjson

from actors.pool import Lost, Pool

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


class Channel:
    """Collects an actor's events for ``delay`` seconds and sends them in one append."""

    def __init__(self, journal: Pool[Journal], delay: float) -> None:
        self._journal = journal
        self._delay = delay
        self._lines: list[bytes] = []
        self._synced: asyncio.Future[None] | None = None
        self._sender: asyncio.Task[None] | None = None

    def send(self, unit: str, event: Event) -> asyncio.Future[None]:
        """Queue an event; the future is done when it is synced. It is the sender's own: to cancel it harms no other."""
        self._lines.append(line(unit, event))
        if self._synced is None:
            self._synced = asyncio.get_running_loop().create_future()
        if self._sender is None or self._sender.done():
            self._sender = asyncio.create_task(self._send())
        own = asyncio.shield(self._synced)
        own.add_done_callback(lambda future: future.cancelled() or future.exception())  # not every sender looks
        return own

    async def _send(self) -> None:
        while self._lines:
            await asyncio.sleep(self._delay)
            lines, self._lines = self._lines, []
            synced, self._synced = self._synced, None
            assert synced is not None
            try:
                await self._journal.call(Journal.append, None, b"".join(lines))
            except (OSError, Lost) as error:
                synced.set_exception(error)
                synced.exception()  # seen: whoever waits for it gets it as well
                continue
            synced.set_result(None)


def line(unit: str, event: Event) -> bytes:
    """One journal line."""
    return unit.encode() + b"\t" + orjson.dumps(event) + b"\n"


def read(path: Path, units: Iterable[str]) -> Iterator[tuple[str, Event]]:
    """The events of the given units, in order; a line cut off by a crash was never acknowledged and is left out."""
    wanted = {unit.encode() for unit in units}
    try:
        file = path.open("rb")
    except FileNotFoundError:  # its driver has just ended, and with it the need for it
        return
    with file:
        for row in file:
            unit, _, event = row.partition(b"\t")
            if unit in wanted:
                with suppress(orjson.JSONDecodeError):
                    yield unit.decode(), orjson.loads(event)
