"""A model at an endpoint: one request in, one `Reply` out, trouble included.

The tries honour Retry-After, back off with jitter, and are counted; what sends a single one is a `Transport`. One
event loop per process. What is guarded: requests in flight per model, time per try, keys in error texts.
"""

import asyncio
import os
import socket
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Protocol

import orjson
from tenacity import (
    AsyncRetrying,
    RetryCallState,
    retry_if_result,
    stop_after_attempt,
    wait_exponential,
    wait_random_exponential,
)

from actors.amount import Amount
from actors.chat import reply_of, response_format
from actors.endpoint_error import EndpointError, one_line
from actors.errors import ErrorKind, UnitFault
from actors.limit import LONGEST_PAUSE
from actors.model import Reply, Spec
from actors.prompt import Request
from actors.row import Row

TRANSIENT = {ErrorKind.TIMEOUT, ErrorKind.CONNECTION, ErrorKind.RATE, ErrorKind.SERVER}
NOBODY = {ErrorKind.TIMEOUT, ErrorKind.CONNECTION}
LONGEST_WAIT = 60.0
"""Seconds that a back-off may grow to."""

BESIDE = 256  # bytes at most that a prompt holds beside messages and schema: an endpoint's own template

Again = Callable[[str, Amount, bool], Awaitable[None]]
"""Awaited before each try after the first: the unit, the most that a try costs, whether the last may have been paid."""


class Gate(Protocol):
    """Who may send to an endpoint, and when."""

    async def enter(self) -> None:
        """Wait for a slot."""

    def leave(self, kind: ErrorKind | None, retry_after: float | None) -> None:
        """Give it back, and say how the try went: None is well, LOST is cut short, which says nothing."""


class Transport(Protocol):
    """What sends one HTTP request."""

    async def send(self, call: dict[str, Any], base: str | None, key: str) -> dict[str, Any]:
        """The completion as JSON says it; EndpointError where there is none. ``call`` is not changed."""


class Slots:
    """A gate of so many slots."""

    def __init__(self, count: int) -> None:
        self._free = asyncio.Semaphore(count)

    async def enter(self) -> None:
        """Wait for a slot."""
        await self._free.acquire()

    def leave(self, kind: ErrorKind | None, retry_after: float | None) -> None:
        """Give it back."""
        self._free.release()


def transport(spec: Spec) -> Transport:
    """What a spec asks for; nothing else is imported."""
    if spec.over_http():
        from actors.http_client import HttpClient

        return HttpClient(spec)
    from actors.litellm_model import LiteLLMClient

    return LiteLLMClient(spec)


@dataclass(frozen=True)
class Outcome:
    """What one try brought, how long the endpoint wants to be left alone, in seconds, and whether it may cost."""

    reply: Reply
    pause: float | None = None
    paid: bool = False

    @property
    def kind(self) -> ErrorKind | None:
        """What was wrong."""
        return ErrorKind(self.reply.error_kind) if self.reply.error_kind else None


class EndpointModel:
    """A `Model` over a transport.

    gate: asked before each try, told after it; a slot is free while a call backs off.
    api_base: awaited before each try, for a server that may have moved; else ``spec.api_base``.
    lost: told after each try that found nobody there, so that ``api_base`` looks anew.
    """

    def __init__(
        self,
        spec: Spec,
        gate: Gate | None = None,
        again: Again | None = None,
        api_base: Callable[[], Awaitable[str]] | None = None,
        lost: Callable[[], None] | None = None,
    ) -> None:
        self.spec = spec
        self.gate = gate or Slots(spec.in_flight)
        self._again = again
        self._api_base = api_base
        self._lost = lost
        self._transport = transport(spec)
        self._formats: dict[type[Row] | None, tuple[dict[str, Any] | None, int]] = {}
        self._retrying = AsyncRetrying(
            stop=stop_after_attempt(spec.tries),
            wait=pause,
            retry=retry_if_result(lambda outcome: outcome.kind in TRANSIENT),
            retry_error_callback=lambda state: state.outcome and state.outcome.result(),
        )

    def ceiling(self, request: Request) -> Amount:
        """The most that one HTTP request for it can cost."""
        words = sum(len(message["content"].encode()) for message in request.messages())
        return self.spec.most(words + self._format(request.reply)[1] + BESIDE)

    async def complete(self, request: Request) -> Reply:
        """One reply, after up to ``spec.tries`` HTTP requests; what ``again`` raises ends it."""
        key = self.key()
        if key is None:
            where = f"no key on {socket.gethostname()}, or none in ASCII"
            missing = f"{self.spec.name}: {where}; set the variable {self.spec.api_key_env} there"
            return Reply(text=None, latency=0.0, tries=0, error_kind=ErrorKind.AUTH, error=missing)
        call = self._call(request)
        tries, paid = 0, False

        async def once() -> Outcome:
            nonlocal tries, paid
            if tries and self._again:
                await self._again(request.unit, self.ceiling(request), paid)
            tries += 1
            outcome = await self._in_turn(call, key)
            paid = outcome.paid
            return outcome

        outcome: Outcome = await self._retrying.copy()(once)
        return outcome.reply if tries == 1 else outcome.reply.model_copy(update={"tries": tries})

    def key(self) -> str | None:
        """The key to send; empty leaves it to LiteLLM's usual variables, None is one that should be set and is not."""
        if self.spec.api_key_env:
            key = os.environ.get(self.spec.api_key_env, "").strip()
            return key if key and key.isascii() and key.isprintable() else None
        return "none" if self._api_base or self.spec.api_base else ""

    async def base(self) -> str | None:
        """Where it is served now; None leaves it to LiteLLM."""
        return await self._api_base() if self._api_base else self.spec.api_base

    def _format(self, reply: type[Row] | None) -> tuple[dict[str, Any] | None, int]:
        """How the endpoint is told the shape of a reply, and how many bytes that takes."""
        if reply not in self._formats:
            shape = response_format(self.spec, reply)
            self._formats[reply] = shape, len(orjson.dumps(shape))
        return self._formats[reply]

    def _call(self, request: Request) -> dict[str, Any]:
        """What is asked, in OpenAI's words, but for the model's name and the spec's ``extra``."""
        call: dict[str, Any] = {
            "messages": request.messages(),
            "temperature": request.temperature,
            "max_tokens": self.spec.max_tokens,
        }
        if shape := self._format(request.reply)[0]:
            call["response_format"] = shape
        if self.spec.send_seed:
            call["seed"] = request.seed
        return call

    async def _in_turn(self, call: dict[str, Any], key: str) -> Outcome:
        """One HTTP request, when the gate lets it through."""
        await self.gate.enter()
        kind: ErrorKind | None = ErrorKind.LOST
        wait = None
        try:
            outcome = await self._try(call, key)
            kind, wait = outcome.kind, outcome.pause
        finally:
            self.gate.leave(kind, wait)
        if self._lost and kind in NOBODY:
            self._lost()
        return outcome

    async def _try(self, call: dict[str, Any], key: str) -> Outcome:
        """One HTTP request; an answer of no use may have been paid for, and so may what was never answered."""
        began = time.perf_counter()
        try:
            base = await self.base()
            began = time.perf_counter()
            async with asyncio.timeout(self.spec.timeout):
                completion = await self._transport.send(call, base, key)
        except UnitFault as fault:  # nobody could be brought up there
            error = EndpointError(fault.kind, str(fault))
        except TimeoutError:
            error = EndpointError(ErrorKind.TIMEOUT, f"no reply in {self.spec.timeout:g} s")
        except EndpointError as raised:
            error = raised
        else:
            return Outcome(reply_of(self.spec, completion, time.perf_counter() - began), paid=True)
        reply = self._failed(error, key, time.perf_counter() - began)
        return Outcome(reply, error.retry_after, error.kind in NOBODY or error.status == 200)

    def _failed(self, trouble: EndpointError, key: str, latency: float) -> Reply:
        """A try that brought no text."""
        error = f"{self.spec.name}: {one_line(trouble.text, key)}"
        if trouble.kind is ErrorKind.AUTH:
            variable = self.spec.api_key_env or f"none: set models.{self.spec.name}.api_key_env"
            error += f"; see the model's name ({self.spec.model}) and the variable with its key ({variable})"
        return Reply(text=None, latency=latency, error_kind=trouble.kind, error=error)


def pause(state: RetryCallState) -> float:
    """Seconds before the next try: what the endpoint asks for plus jitter, else between half and all of 1, 2, 4, ..."""
    asked = state.outcome.result().pause if state.outcome else None
    if asked is not None:
        return float(min(asked, LONGEST_PAUSE)) + wait_random_exponential(multiplier=0.1, max=1)(state)
    half = wait_exponential(multiplier=0.5, max=LONGEST_WAIT / 2)(state)
    return half + wait_random_exponential(multiplier=0.5, max=LONGEST_WAIT / 2)(state)
