"""A warm container: started once, attached, spoken to over its pipes, gone with whoever holds it.

Guards: no network, a read-only root, no capability but those named, no new privileges, limits on memory, processes,
time and on what it may say at once, tmpfs of a size (a bind mount would have no quota). Its stdin is held open by us
alone: when this process dies, however, it reads the end, its program leaves, and the engine removes it; `Engine.sweep`
removes what was never started. Does not guard: holes of the kernel or the engine; a program that does not look at its
stdin; containers whose engine was killed, which run on until its next start; an engine that hangs, until the deadline.
"""

import socket
import struct
import time
from contextlib import suppress
from typing import Annotated, Any

from docker.types import LogConfig
from pydantic import Field

from actors.row import Row
from solvers.containers.driver import this_process
from solvers.containers.engine import LABEL, Engine, EngineFault, engine_faults

MIB = 2**20
LONGEST = MIB  # bytes of a line
MOST = 64 * MIB  # bytes of one answer, and of what is heard ahead of being asked for
HEADER = struct.Struct(">BxxxL")  # the engine's frames: stream, bytes
STDERR = 2
KEPT = 65536  # bytes of stderr


class Cell(Row):
    """What a container may have. ``tmpfs`` in megabytes by path; ``cores`` None is all of the engine's."""

    image: str
    command: tuple[str, ...]
    memory_mb: Annotated[int, Field(ge=16)]
    processes: Annotated[int, Field(ge=1)] = 64
    user: str = "0:0"
    capabilities: tuple[str, ...] = ()
    tmpfs: dict[str, int] = Field(default_factory=dict)
    cores: tuple[int, ...] | None = None
    network: bool = False
    read_only: bool = True
    labels: dict[str, str] = Field(default_factory=dict)


class Gone(EngineFault):
    """The container ended, or the engine did, while it was spoken to. ``memory``: its own limit was what ended it."""

    def __init__(self, message: str, memory: bool = False) -> None:
        super().__init__(message)
        self.memory = memory

    def __reduce__(self) -> tuple[type["Gone"], tuple[object, ...]]:
        return type(self), (str(self), self.memory)


class Flood(EngineFault):
    """It said more than may be said at once."""


class Late(EngineFault):
    """No answer in time; the container is closed by whoever asked."""


class Container:
    """A running container. Not for several threads at once."""

    def __init__(self, engine: Engine, cell: Cell) -> None:
        self.engine, self.cell = engine, cell
        self.errors = bytearray()
        self._heard = bytearray()
        self._raw: Any = None  # holds the connection open
        self._socket: socket.socket | None = None
        self._began = time.time()
        engine.remove_kept()
        with engine_faults(f"starting a container of {cell.image}"):
            api: Any = engine.client.api  # the stubs leave a hole here
            self.id: str = api.create_container_from_config(configuration(engine, cell))["Id"]
        try:
            with engine_faults(f"starting a container of {cell.image}"):
                self._raw = api.attach_socket(self.id, params={"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1})
                self._socket = getattr(self._raw, "_sock", self._raw)
                api.start(self.id)
        except BaseException:  # what is not started is not removed by itself
            self.close()
            raise

    @property
    def connection(self) -> socket.socket:
        """Its pipes, in the engine's frames."""
        if self._socket is None:
            raise Gone(f"a container of {self.cell.image} was closed")
        return self._socket

    def send(self, data: bytes, deadline: float) -> None:
        """Write to its stdin, until ``deadline`` (time.monotonic) at the latest."""
        connection = self.connection
        with engine_faults("writing to a container"):
            connection.settimeout(left(deadline))
            try:
                connection.sendall(data)
            except TimeoutError:
                raise Late("a container took too long to read") from None
            except (BrokenPipeError, ConnectionResetError):
                raise self.gone() from None

    def end_input(self) -> None:
        """Let it read the end of its stdin; what it says can still be read."""
        with engine_faults("writing to a container"):
            self.connection.shutdown(socket.SHUT_WR)

    def line(self, deadline: float) -> bytes:
        """The next line that it says, without its end. Flood above LONGEST."""
        looked = 0
        while (end := self._heard.find(b"\n", looked)) < 0:
            looked = len(self._heard)
            if looked > LONGEST:
                raise Flood(f"a container of {self.cell.image} said a line of more than {LONGEST} bytes")
            self._hear(deadline)
        said = bytes(self._heard[:end])
        del self._heard[: end + 1]
        return said

    def read(self, size: int, deadline: float) -> bytes:
        """The next ``size`` bytes that it says. Flood where more than MOST are asked for."""
        if size > MOST:
            raise Flood(f"a container of {self.cell.image} has {size} bytes to say; {MOST} are allowed")
        while len(self._heard) < size:
            self._hear(deadline)
        said = bytes(self._heard[:size])
        del self._heard[:size]
        return said

    def _hear(self, deadline: float) -> None:
        """One frame more."""
        stream, size = HEADER.unpack(self._receive(HEADER.size, deadline))
        if stream > STDERR or size > MOST:
            raise EngineFault("reading from a container: the engine speaks in frames that cannot be read")
        data = self._receive(size, deadline)
        if stream == STDERR:
            self.errors += data[: max(0, KEPT - len(self.errors))]
        else:
            self._heard += data

    def _receive(self, size: int, deadline: float) -> bytes:
        """That many bytes of the connection."""
        got, connection = bytearray(), self.connection
        with engine_faults("reading from a container"):
            while len(got) < size:
                connection.settimeout(left(deadline))
                try:
                    part = connection.recv(min(size - len(got), MIB))
                except TimeoutError:
                    raise Late("a container took too long to answer") from None
                except ConnectionResetError:
                    part = b""
                if not part:
                    raise self.gone()
                got += part
        return bytes(got)

    def lost(self) -> bool:
        """Whether it has ended, or its engine has, while nobody spoke to it; found out without a request."""
        if self._socket is None:
            return True
        self._socket.settimeout(0)
        try:
            return not self._socket.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return False
        except OSError:
            return True

    def gone(self) -> Gone:
        """Why it may have gone."""
        if not self.engine.answers():
            return Gone(f"the container engine went away under a container of {self.cell.image}")
        try:
            memory, code = self.engine.ending(self.id, self._began)
        except EngineFault:
            memory, code = False, ""
        how = "ran out of memory" if memory else f"ended with exit code {code}" if code else "ended early"
        said = " ".join(self.errors.decode(errors="replace").split())
        return Gone(f"a container of {self.cell.image} {how}{': ' + said[-500:] if said else ''}", memory)

    def close(self) -> None:
        """End it now; the engine removes it."""
        hang_up(self._socket, self._raw)
        self._socket = self._raw = None
        self.engine.remove(self.id)

    def __enter__(self) -> "Container":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def hang_up(connection: socket.socket | None, raw: Any) -> None:
    """End the connection for good: the SDK wraps it several times, and each wrap alone would keep it open."""
    if connection is not None:
        with suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)
    for held in (getattr(raw, "_response", None), raw, connection):
        if held is not None:
            held.close()


def left(deadline: float) -> float:
    """Seconds until then; a moment at least, since 0 would mean not to wait at all."""
    return max(0.001, deadline - time.monotonic())


def owner(cell: Cell) -> str:
    """A tmpfs is the cell's user's: over a folder that the image has, the engine takes that one's mode, not ours."""
    user, _, group = cell.user.partition(":")
    return f",uid={user},gid={group}" if user.isdigit() and group.isdigit() else ""


def configuration(engine: Engine, cell: Cell) -> dict[str, Any]:
    """The cell in the engine's words."""
    api = engine.client.api
    host = api.create_host_config(
        auto_remove=True,
        cap_add=list(cell.capabilities),
        cap_drop=["ALL"],
        cpuset_cpus=",".join(map(str, cell.cores)) if cell.cores else None,
        init=True,
        ipc_mode="private",
        log_config=LogConfig(type="none"),  # what it says is for us, not for the engine's disk
        mem_limit=cell.memory_mb * MIB,
        memswap_limit=cell.memory_mb * MIB,
        network_mode="bridge" if cell.network else "none",
        pids_limit=cell.processes,
        read_only=cell.read_only,
        security_opt=["no-new-privileges"],
        shm_size=MIB,
        tmpfs={path: f"rw,exec,nosuid,nodev,size={size}m,mode=1777{owner(cell)}" for path, size in cell.tmpfs.items()},
    )
    made: dict[str, Any] = api.create_container_config(
        image=cell.image,
        command=list(cell.command),
        entrypoint=[],
        user=cell.user,
        stdin_open=True,  # attached as it is, the SDK asks for stdin to end with our connection
        labels={
            LABEL: "container",
            f"{LABEL}.host": socket.gethostname(),
            f"{LABEL}.process": this_process(),
            **cell.labels,
        },
        host_config=host,
        working_dir="/",
        stop_signal="SIGKILL",  # an engine that stops has no reason to wait for it
    )
    return made
