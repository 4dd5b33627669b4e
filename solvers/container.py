"""A warm container: started once, attached, spoken to over its pipes, gone with whoever holds it.

Guards: no network, a read-only root, no capability but those named, no new privileges, limits on memory, processes and
time, tmpfs of a size (a bind mount would have no quota). Its stdin is held open by us alone: when this process dies, however, it
reads the end, its program leaves, and the engine removes it. Does not guard: holes of the kernel or the engine.
"""

import socket
import struct
import time
from typing import Annotated, Any

from pydantic import Field

from actors.row import Row
from solvers.engine import LABEL, Engine, EngineFault, engine_faults, this_process

MIB = 2**20
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
    """The container ended, or the engine did, while it was spoken to."""


class Late(EngineFault):
    """No answer in time; the container is closed by whoever asked."""


class Container:
    """A running container. Not for several threads at once."""

    def __init__(self, engine: Engine, cell: Cell) -> None:
        self.engine, self.cell = engine, cell
        self.errors = bytearray()
        self._heard = bytearray()
        with engine_faults(f"starting a container of {cell.image}"):
            api = engine.client.api
            self.id: str = api.create_container_from_config(configuration(engine, cell))["Id"]
            raw = api.attach_socket(self.id, params={"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1})
            self._socket: socket.socket = getattr(raw, "_sock", raw)
            self._raw = raw  # holds the connection open
            api.start(self.id)

    def send(self, data: bytes, deadline: float) -> None:
        """Write to its stdin, until ``deadline`` (time.monotonic) at the latest."""
        with engine_faults("writing to a container"):
            self._socket.settimeout(left(deadline))
            try:
                self._socket.sendall(data)
            except TimeoutError:
                raise Late("a container took too long to read") from None
            except (BrokenPipeError, ConnectionResetError):
                raise Gone(self.last_words()) from None

    def line(self, deadline: float) -> bytes:
        """The next line that it says."""
        while b"\n" not in self._heard:
            self._hear(deadline)
        said, _, rest = bytes(self._heard).partition(b"\n")
        self._heard = bytearray(rest)
        return said

    def read(self, size: int, deadline: float) -> bytes:
        """The next ``size`` bytes that it says."""
        while len(self._heard) < size:
            self._hear(deadline)
        said = bytes(self._heard[:size])
        del self._heard[:size]
        return said

    def _hear(self, deadline: float) -> None:
        """One frame more."""
        stream, size = HEADER.unpack(self._receive(HEADER.size, deadline))
        data = self._receive(size, deadline)
        if stream == STDERR:
            self.errors += data[: max(0, KEPT - len(self.errors))]
        else:
            self._heard += data

    def _receive(self, size: int, deadline: float) -> bytes:
        """That many bytes of the connection."""
        got = bytearray()
        with engine_faults("reading from a container"):
            while len(got) < size:
                self._socket.settimeout(left(deadline))
                try:
                    part = self._socket.recv(min(size - len(got), MIB))
                except TimeoutError:
                    raise Late("a container took too long to answer") from None
                except ConnectionResetError:
                    part = b""
                if not part:
                    raise Gone(self.last_words())
                got += part
        return bytes(got)

    def last_words(self) -> str:
        """Why it may have gone."""
        said = " ".join(self.errors.decode(errors="replace").split())
        return f"a container of {self.cell.image} ended early{': ' + said[-500:] if said else ''}"

    def close(self) -> None:
        """End it now; the engine removes it."""
        self._socket.close()
        try:
            with engine_faults("removing a container"):
                self.engine.client.api.remove_container(self.id, force=True, v=True)
        except EngineFault:
            pass  # it has gone by itself, or the engine has: either way there is nothing to end

    def __enter__(self) -> "Container":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def left(deadline: float) -> float:
    """Seconds until then; a moment at least, since 0 would mean not to wait at all."""
    return max(0.001, deadline - time.monotonic())


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
        log_config={"type": "none"},  # what it says is for us, not for the engine's disk
        mem_limit=cell.memory_mb * MIB,
        memswap_limit=cell.memory_mb * MIB,
        network_mode="host" if cell.network else "none",
        pids_limit=cell.processes,
        read_only=cell.read_only,
        security_opt=["no-new-privileges"],
        shm_size=MIB,
        tmpfs={path: f"rw,exec,nosuid,nodev,size={size}m,mode=1777" for path, size in cell.tmpfs.items()},
    )
    made: dict[str, Any] = api.create_container_config(
        image=cell.image,
        command=list(cell.command),
        entrypoint=[],
        user=cell.user,
        stdin_open=True,  # attached as it is, the SDK asks for stdin to end with our connection
        labels={LABEL: "container", f"{LABEL}.host": socket.gethostname(), f"{LABEL}.process": this_process(), **cell.labels},
        host_config=host,
        working_dir="/",
    )
    return made
