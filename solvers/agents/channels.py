"""The connections that a relay carries, each a socket pair: the relay at one end, our HTTP server at the other."""

import asyncio
import socket
from collections.abc import Callable
from contextlib import suppress

from aiohttp import web

from solvers.agents.wire import PIECE, Frame, Wire, broken

CHANNELS = 64  # at once, as the relay has it
HELD = 64 * 2**20  # bytes on their way to the server, of all of them


class Channels:
    """A branch's. fail: is told what ends the branch."""

    def __init__(self, wire: Wire, server: web.Server, fail: Callable[[BaseException], None]) -> None:
        self._wire, self._server, self._fail = wire, server, fail
        self._queues: dict[int, asyncio.Queue[bytes | None]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._held = 0

    def take(self, frame: Frame) -> None:
        """A frame that is a channel's: it opens, has bytes, or closes. UnitFault where the relay may not send it."""
        if frame.kind == "O":
            if len(self._queues) >= CHANNELS or frame.channel in self._queues:
                raise broken("opens a channel that it may not open")
            queue = self._queues[frame.channel] = asyncio.Queue[bytes | None]()
            task = asyncio.create_task(self._carry(frame.channel, queue))
            self._tasks.add(task)
            task.add_done_callback(self._ended)
        elif frame.channel in self._queues:  # what it sends may cross our closing
            self._held += len(frame.data)
            if self._held > HELD:
                raise broken(f"sends more than {HELD} bytes ahead")
            self._queues[frame.channel].put_nowait(None if frame.kind == "C" else frame.data)

    async def _carry(self, number: int, queue: asyncio.Queue[bytes | None]) -> None:
        reader, writer = await self._connected()
        inward = asyncio.create_task(self._inward(queue, writer))
        try:
            with suppress(ConnectionError):
                while data := await reader.read(PIECE):
                    await self._wire.send("D", number, data)
            del self._queues[number]
            await self._wire.send("C", number)
        finally:
            self._queues.pop(number, None)
            inward.cancel()
            with suppress(asyncio.CancelledError):
                await inward
            while not queue.empty():
                self._held -= len(queue.get_nowait() or b"")
            writer.close()

    async def _connected(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Our end of a connection to the server."""
        ours, theirs = socket.socketpair()
        try:
            await asyncio.get_running_loop().connect_accepted_socket(self._server, theirs)
            return await asyncio.open_connection(sock=ours)
        except BaseException:
            ours.close()
            theirs.close()
            raise

    async def _inward(self, queue: asyncio.Queue[bytes | None], writer: asyncio.StreamWriter) -> None:
        while (data := await queue.get()) is not None:
            self._held -= len(data)
            writer.write(data)
            with suppress(ConnectionError):
                await writer.drain()
        writer.close()

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._fail(error)

    async def close(self) -> None:
        """End all connections, and the requests on them."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._server.shutdown(0.1)
