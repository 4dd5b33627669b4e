"""A line to a Ray actor, and what Ray's exceptions mean."""

import asyncio
import re
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from typing import Any

from actors.errors import Fault
from actors.host import Unbuilt, Wanted
from actors.pool import Lost, watched


def gone() -> tuple[type[Exception], ...]:
    """What Ray raises for infrastructure; everything else is ours."""
    from ray import exceptions as ray

    lost = (ray.RayActorError, ray.WorkerCrashedError, ray.NodeDiedError, ray.ObjectLostError, ray.TaskCancelledError)
    return (*lost, ray.LocalRayletDiedError, ray.RpcError)


def failed() -> type[Any]:
    """What Ray wraps an actor's own exceptions in."""
    from ray.exceptions import RayTaskError

    return RayTaskError


def anything() -> type[Exception]:
    """All that Ray raises."""
    from ray.exceptions import RayError

    return RayError


def first_line(error: Exception) -> str:
    """What Ray says of a loss, without its advice."""
    return str(error).strip().split("\n")[0]


def last_line(error: Exception) -> str:
    """The exception at the end of a traceback that Ray passes on, without colours."""
    lines = re.sub(r"\x1b\[[0-9;]*m", "", str(error)).strip().split("\n")
    return lines[-1].strip()[:300]


async def as_raised(reference: Any) -> Any:
    """An actor's result, or its exception as it was raised there, not as Ray wraps it."""
    try:
        return await reference
    except failed() as error:
        if isinstance(error.cause, Fault | OSError):
            raise error.cause from None
        raise


class Line:
    """A caller's line to one actor: calls that come together go together, and so do results.

    When the actor dies or cannot be reached, what Ray raises reaches all calls on it. Where it was started again, those
    that it had begun are Lost, and those that it had not are Unbuilt.
    """

    def __init__(self, actor: Any) -> None:
        self._actor = actor
        self._name = uuid.uuid4().hex
        self._numbers = count()
        self._queue: list[Wanted] = []
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._sender: asyncio.Task[None] | None = None
        self._fetcher: asyncio.Task[None] | None = None

    async def call(self, method: str, args: tuple[Any, ...], kw: Mapping[str, Any]) -> Any:
        """Run a method there."""
        wanted = Wanted(next(self._numbers), method, args, kw)
        future = self._waiting[wanted.number] = asyncio.get_running_loop().create_future()
        self._queue.append(wanted)
        if self._sender is None or self._sender.done():
            self._sender = watched(self._send())
        try:
            return await future
        finally:
            self._waiting.pop(wanted.number, None)

    async def _send(self) -> None:
        while self._queue:
            calls, self._queue = self._queue, []
            with self._breaking() as name:
                try:
                    await as_raised(self._actor.start.remote(name, calls))
                except Unbuilt as unbuilt:
                    for wanted in (*calls, *self._queue):
                        self._fail(wanted.number, unbuilt)
                    raise
            if name == self._name and (self._fetcher is None or self._fetcher.done()):
                self._fetcher = watched(self._fetch(name))

    async def _fetch(self, name: str) -> None:
        while self._waiting and name == self._name:
            with self._breaking():
                finished = await as_raised(self._actor.fetch.remote(name))
            for number, value, error in finished:
                if error is not None:
                    self._fail(number, error)
                elif (future := self._waiting.pop(number, None)) is not None and not future.done():
                    future.set_result(value)

    @contextmanager
    def _breaking(self) -> Iterator[str]:
        """If the line breaks, nothing on it comes back. An actor that lives all the same may not go on with it."""
        name = self._name
        try:
            yield name
        except BaseException as error:
            if name == self._name:  # else it was broken before
                self._name, self._queue, self._fetcher = uuid.uuid4().hex, [], None
                for number in list(self._waiting):
                    self._fail(number, Lost("its actor was started again") if isinstance(error, Unbuilt) else error)
                self._actor.forget.remote(name)
            raise

    def _fail(self, number: int, error: BaseException) -> None:
        future = self._waiting.pop(number, None)
        if future is None or future.done():  # its caller was cancelled
            return
        if isinstance(error, asyncio.CancelledError):
            future.cancel()
        else:
            future.set_exception(error)
