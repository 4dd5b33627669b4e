"""The frames that go over an agent's container's pipes: to its relay and from it (relay/relay.h says what they mean).

Nothing that comes from there is trusted: a frame of no kind, or one that is too large, ends the branch. One task reads,
any may write. Not guarded: an engine behind TLS, whose sockets cannot be waited for here; it is refused.
"""

import asyncio
import ssl
import struct
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import NamedTuple

from actors.errors import BadInput, ErrorKind, UnitFault
from solvers.containers.container import HEADER, KEPT, STDERR, Cell, Container
from solvers.containers.engine import Engine, EngineFault

FRAME = struct.Struct(">cxHL")  # kind, channel, bytes
PIECE = 65536  # bytes of a frame's data, theirs and ours
KINDS = frozenset("HpODCETZSX")


class Frame(NamedTuple):
    """One of the relay's."""

    kind: str
    channel: int
    data: bytes


def broken(what: str) -> UnitFault:
    """The container does not keep to what was agreed."""
    return UnitFault(f"the agent's container {what}", ErrorKind.INVALID)


class Wire:
    """The two ends of a container's pipes."""

    def __init__(self, container: Container) -> None:
        self._container, self._socket = container, container.connection
        if isinstance(self._socket, ssl.SSLSocket):
            raise BadInput("solver=command: needs a container engine on a local socket, or on TCP without TLS")
        self._socket.settimeout(0)
        self._heard = bytearray()  # by the engine, in its frames
        self._said = bytearray()  # by the relay, in ours
        self._sending = asyncio.Lock()
        self._began = time.time()

    async def send(self, kind: str, channel: int = 0, data: bytes = b"") -> None:
        """One frame."""
        loop = asyncio.get_running_loop()
        async with self._sending:
            try:
                await loop.sock_sendall(self._socket, FRAME.pack(kind.encode(), channel, len(data)) + data)
            except OSError:
                raise await self._gone() from None

    async def send_all(self, kind: str, data: bytes) -> None:
        """As many frames as it takes, and an empty one."""
        for at in range(0, len(data), PIECE):
            await self.send(kind, data=data[at : at + PIECE])
        await self.send(kind)

    async def receive(self) -> Frame:
        """The next frame. UnitFault where there is none: the container ended, or says what is no frame."""
        while len(self._said) < FRAME.size:
            await self._hear()
        letter, channel, size = FRAME.unpack_from(self._said)
        kind = letter.decode("latin-1")
        if kind not in KINDS or size > PIECE:
            raise broken("speaks in frames that cannot be read")
        while len(self._said) < FRAME.size + size:
            await self._hear()
        data = bytes(self._said[FRAME.size : FRAME.size + size])
        del self._said[: FRAME.size + size]
        return Frame(kind, channel, data)

    async def _hear(self) -> None:
        """Some bytes more, without the engine's own frames around them."""
        try:
            got = await asyncio.get_running_loop().sock_recv(self._socket, PIECE)
        except OSError:
            got = b""
        if not got:
            raise await self._gone()
        self._heard += got
        while len(self._heard) >= HEADER.size:
            stream, size = HEADER.unpack_from(self._heard)
            if stream > STDERR or size > 1 << 24:
                raise EngineFault("reading from a container: the engine speaks in frames that cannot be read")
            if len(self._heard) < HEADER.size + size:
                return
            data = self._heard[HEADER.size : HEADER.size + size]
            del self._heard[: HEADER.size + size]
            if stream == STDERR:
                self._container.errors += data[: max(0, KEPT - len(self._container.errors))]
            else:
                self._said += data

    async def ran_out_of_memory(self) -> bool:
        """Whether the kernel has killed anything in there for its memory."""
        container = self._container
        return await asyncio.to_thread(container.engine.ran_out_of_memory, container.id, self._began)

    async def _gone(self) -> UnitFault:
        return await asyncio.to_thread(self._container.gone)


@asynccontextmanager
async def wired(engine: Engine, cell: Cell) -> AsyncIterator[Wire]:
    """A running container of the cell; it is gone afterwards, however the block ends."""
    starting = asyncio.ensure_future(asyncio.to_thread(Container, engine, cell))
    try:
        container = await asyncio.shield(starting)
    except asyncio.CancelledError:
        starting.add_done_callback(close_late)
        raise
    try:
        yield Wire(container)
    finally:
        await asyncio.shield(asyncio.to_thread(container.close))


def close_late(starting: "asyncio.Future[Container]") -> None:
    """Nobody waits for this container any more."""
    if not starting.cancelled() and starting.exception() is None:
        asyncio.get_running_loop().run_in_executor(None, starting.result().close)
