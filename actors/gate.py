"""An actor's side of the limits: a request passes the gate of its endpoint, and says there how it went."""

import asyncio
import socket
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from urllib.parse import urlsplit

from actors.errors import ErrorKind
from actors.limit import LONGEST_PAUSE, Report, Share
from actors.model import Kind, Spec
from actors.pool import Lost

PERIOD = 0.5
"""Seconds between reports while there is something to report."""

Say = Callable[[str, str, int, Report], Awaitable[Share]]
"""Reports holder, endpoint and most to `actors.limit.Limits.report`, wherever that is."""

TROUBLE = {ErrorKind.SERVER, ErrorKind.TIMEOUT, ErrorKind.CONNECTION}


class Gate:
    """One endpoint's gate in one actor: first come, first in, as far as the actor's share goes."""

    def __init__(self, say: Say, holder: str, endpoint: str, most: int, period: float = PERIOD) -> None:
        self.most = most
        self._say = say
        self._holder = holder
        self._endpoint = endpoint
        self._period = period
        self._slots = 0
        self._busy = 0
        self._met = True  # the last share was all that was asked for: asking again at once may bring more
        self._waiters: deque[asyncio.Future[None]] = deque()
        self._outcomes: list[tuple[ErrorKind | None, float | None]] = []
        self._pause: asyncio.TimerHandle | None = None
        self._urgent = asyncio.Event()
        self._reporter: asyncio.Task[None] | None = None

    async def enter(self) -> None:
        """Wait for a slot; whoever returns from here calls ``leave`` once."""
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiters.append(turn)
        self._admit()
        if not turn.done() and self._met and self._busy >= self._slots:
            self._tell()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.cancelled():
                with suppress(ValueError):
                    self._waiters.remove(turn)
                self._tell_if_idle()
            elif not turn.exception():  # let in and cancelled in the same moment
                self._release()
            raise

    def leave(self, kind: ErrorKind | None, retry_after: float | None = None) -> None:
        """Free the slot. kind: None is a success; LOST, if the caller gave up, says nothing of the endpoint."""
        self._outcomes.append((kind, retry_after))
        if kind is ErrorKind.RATE:
            self._close(retry_after or 0.0)
            self._tell()
        self._release()

    def _release(self) -> None:
        self._busy -= 1
        if self._busy == self._slots:  # it was over its share, and others wait for this slot
            self._tell()
        self._admit()
        self._tell_if_idle()

    def _admit(self) -> None:
        while self._waiters and self._busy < self._slots and self._pause is None:
            turn = self._waiters.popleft()
            if not turn.done():
                self._busy += 1
                turn.set_result(None)

    def _close(self, seconds: float) -> None:
        """Let nobody in for so long, or for as long as was already said."""
        loop = asyncio.get_running_loop()
        until = loop.time() + min(seconds, LONGEST_PAUSE)
        if seconds <= 0 or (self._pause and self._pause.when() >= until):
            return
        if self._pause:
            self._pause.cancel()
        self._pause = loop.call_at(until, self._open)

    def _open(self) -> None:
        self._pause = None
        self._admit()

    def _tell_if_idle(self) -> None:
        if not self._busy and not self._waiters:
            self._tell()

    def _tell(self) -> None:
        """Report now, or as soon as the report that is under way is answered."""
        self._urgent.set()
        if self._reporter is None or self._reporter.done():
            self._reporter = asyncio.create_task(self._keep_reporting())
            self._reporter.add_done_callback(self._ended)

    async def _keep_reporting(self) -> None:
        """Until nothing is busy or waiting and the share has been given back."""
        while True:
            self._urgent.clear()
            idle = not self._busy and not self._waiters
            if idle:  # nobody may use what is just being given back
                self._slots, self._met = 0, True
            await self._report()
            if idle and not self._waiters:
                return
            with suppress(TimeoutError):
                async with asyncio.timeout(self._period):
                    await self._urgent.wait()

    async def _report(self) -> None:
        kinds = [kind for kind, _ in self._outcomes]
        asked = [seconds for kind, seconds in self._outcomes if kind is ErrorKind.RATE and seconds is not None]
        said = Report(
            busy=self._busy,
            waiting=len(self._waiters),
            successes=kinds.count(None),
            rate_limited=kinds.count(ErrorKind.RATE),
            retry_after=max(asked, default=None),
            server_errors=sum(kind in TROUBLE for kind in kinds),
        )
        self._outcomes = []
        try:
            share = await self._say(self._holder, self._endpoint, self.most, said)
        except Lost:  # it is started again, and knows nothing: the share stands until it says otherwise
            await asyncio.sleep(self._period)
            return
        self._slots, self._met = share.slots, share.slots >= said.busy + said.waiting
        self._close(share.pause)
        self._admit()

    def _ended(self, reporter: asyncio.Task[None]) -> None:
        """A bug in the reporter is raised in those who would wait for it for ever."""
        error = None if reporter.cancelled() else reporter.exception()
        if error is None:
            return
        self._slots, self._met = 0, True
        waiters, self._waiters = self._waiters, deque()
        for turn in waiters:
            if not turn.done():
                turn.set_exception(error)


class Gates:
    """The gates of one actor: models on one endpoint share one. holder: a name that no other actor has."""

    def __init__(self, say: Say, holder: str, period: float = PERIOD) -> None:
        self._say = say
        self._holder = holder
        self._period = period
        self._gates: dict[str, Gate] = {}

    def gate(self, spec: Spec) -> Gate:
        """The gate that the model's requests pass."""
        endpoint = endpoint_of(spec)
        if endpoint not in self._gates:
            self._gates[endpoint] = Gate(self._say, self._holder, endpoint, spec.in_flight, self._period)
        gate = self._gates[endpoint]
        gate.most = min(gate.most, spec.in_flight)
        return gate


def endpoint_of(spec: Spec) -> str:
    """Where a model's requests go, and to which model there: what a provider counts together.

    What each machine has for itself, on loopback, is another endpoint on each.
    """
    if spec.kind is not Kind.LITELLM:
        return f"{spec.kind.value} {socket.gethostname()}"
    provider, slash, name = spec.model.partition("/")
    if not slash:  # LiteLLM knows the provider by the name
        provider, name = "", spec.model
    if spec.api_base is None:
        return f"{provider} {name}".strip()
    host = urlsplit(spec.api_base).hostname or ""
    own = f" {socket.gethostname()}" if host in {"localhost", "::1"} or host.startswith("127.") else ""
    return f"{spec.api_base.rstrip('/')} {name}{own}"
