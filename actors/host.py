"""What each Ray actor holds: an instance of a plain class, and the calls that are made of it. It knows no Ray itself.

Calls come and results go many at a time: a message between processes costs as much as the work of a call. Each caller
hands in what it wants called, and comes back for whatever is finished.
"""

import asyncio
import hashlib
import pickle
import socket
import traceback
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from actors.errors import BadInput, Fault


class Unbuilt(Fault):
    """The actor is new, or was started again, and has no instance yet."""


class Wanted(NamedTuple):
    """A call: its number with this caller, the method's name, its arguments."""

    number: int
    method: str
    args: tuple[Any, ...]
    kw: Mapping[str, Any]


class Finished(NamedTuple):
    """What came of it: a value, or the exception that was raised."""

    number: int
    value: Any
    error: Exception | None


class Caller:
    """The calls of one caller: those that run, and the results that it has not fetched yet."""

    def __init__(self) -> None:
        self.running: set[asyncio.Task[None]] = set()
        self.finished: list[Finished] = []
        self.some = asyncio.Event()

    def start(self, instance: Any, wanted: Wanted) -> None:
        """Begin a call."""
        task = asyncio.create_task(self._run(instance, wanted))
        self.running.add(task)
        task.add_done_callback(self.running.discard)

    async def _run(self, instance: Any, wanted: Wanted) -> None:
        value = error = None
        try:
            value = await getattr(instance, wanted.method)(*wanted.args, **wanted.kw)
        except Exception as raised:  # noqa: BLE001 - it goes to whoever called, bugs included
            error = sendable(raised)
        self.finished.append(Finished(wanted.number, value, error))
        self.some.set()

    async def fetch(self) -> list[Finished]:
        """All that is finished, as soon as anything is."""
        await self.some.wait()
        self.some.clear()
        finished, self.finished = self.finished, []
        return finished


class Host:
    """The Ray actor: an instance of any plain class.

    It is built by a call, not by its constructor: Ray resolves shared values in both, but warns of those in the latter.
    """

    def __init__(self) -> None:
        self._instance: Any = None
        self._callers: dict[str, Caller] = {}

    async def build(self, driver: str, build: Callable[..., Any], *args: Any) -> None:
        """Make the instance, unless another caller just has; BadInput if the code here is not that of ``driver``."""
        if driver != code():
            raise BadInput(f"{socket.gethostname()} has another version of heuresis than the driver; make them equal")
        if self._instance is None:
            self._instance = build(*args)

    async def start(self, caller: str, calls: list[Wanted]) -> None:
        """Begin calls; Unbuilt, and none is begun, if there is no instance."""
        if self._instance is None:
            raise Unbuilt
        known = self._callers.setdefault(caller, Caller())
        for wanted in calls:
            known.start(self._instance, wanted)

    async def fetch(self, caller: str) -> list[Finished]:
        """What is finished of a caller's calls, as soon as anything is; Unbuilt if none of them was begun here."""
        if caller not in self._callers:
            raise Unbuilt
        return await self._callers[caller].fetch()

    async def forget(self, caller: str) -> None:
        """This caller has given its calls up: they may not go on beside those that it makes anew."""
        for task in self._callers.pop(caller, Caller()).running:
            task.cancel()


@cache
def code() -> str:
    """A digest of what works on a node, sources, prompts, harness, as it was when this process first asked."""
    root = Path(__file__).resolve().parent.parent
    found = [path for folder in ("actors", "solvers") for path in (root / folder).rglob("*")]
    files = sorted(path for path in found if path.is_file() and "__pycache__" not in path.parts)
    parts = (f"{path.relative_to(root)} {hashlib.sha256(path.read_bytes()).hexdigest()}" for path in files)
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:12]


def sendable(error: Exception) -> Exception:
    """The exception as it can cross processes; of a bug with the lines that led to it."""
    if not isinstance(error, Fault | OSError):
        error.add_note("".join(traceback.format_exception(error)))
    try:
        pickle.loads(pickle.dumps(error))
    except (pickle.PicklingError, TypeError, AttributeError):
        return RuntimeError("".join(traceback.format_exception(error)))
    return error
