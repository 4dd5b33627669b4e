"""The only way from an agent to a model: HTTP/1.1 over connections that the relay carries.

Guards: the branch's token; the paths, the model and the longest reply; the key, which the agent never sees; each
request is announced before it is sent, and its row handed in after it, so that budget and journal know it. Requests of
a branch go one at a time: its budget line holds back what one can cost. A request is tried once: agents try again by
themselves. Not guarded: what an agent tells a model, and what the model's provider makes of it.
"""

import asyncio
import hmac
import io
import os
import time
from collections.abc import Callable
from typing import NamedTuple
from urllib.parse import urlsplit

import orjson
from aiohttp import ClientError, ClientResponse, web

from actors.channel import Stopped
from actors.chat import cost, parsed
from actors.endpoint import EndpointModel
from actors.endpoint_error import EndpointError, one_line, refusal
from actors.errors import BadInput, ErrorKind, UnitFault
from actors.http_client import MOST_BYTES, bounded, opened, way
from actors.model import Reply
from actors.replay import Tape
from solvers.agents.flavour import ChatCompletions, Flavour, Heard, Unfit, flavour_of
from solvers.agents.sse import Events

SEAT = "agent"
LARGEST = 16 * 2**20  # bytes of a request
USUAL = {
    "openai": ("https://api.openai.com/v1", "OPENAI_API_KEY"),
    "anthropic": ("https://api.anthropic.com/v1", "ANTHROPIC_API_KEY"),
}
"""Where providers are that LiteLLM knows by name."""


class Asked(NamedTuple):
    """A request that may be sent."""

    flavour: Flavour
    data: bytes
    headers: dict[str, str]


class Gateway:
    """A branch's. fail: is told what ends the branch: that the run sends no more, that the key is refused, a bug."""

    def __init__(self, tape: Tape, model: EndpointModel, token: str, fail: Callable[[BaseException], None]) -> None:
        self._tape, self._model, self._token, self._fail = tape, model, token, fail
        self._spec = model.spec
        self._turn = tape.taken(SEAT)
        self._one = asyncio.Lock()
        self.server = web.Server(self._answer, access_log=None)

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        """One request of the agent's."""
        try:
            return await self._routed(request)
        except asyncio.CancelledError:
            raise
        except BaseException as error:
            self._fail(error)
            raise

    async def _routed(self, request: web.BaseRequest) -> web.StreamResponse:
        if not self._knows(request):
            return problem(401, "authentication_error", "this is not the branch's token")
        path, method = urlsplit(request.path_qs).path.rstrip("/"), request.method
        if method == "GET" and path.removeprefix("/v1") == "/models":
            return web.json_response({"object": "list", "data": [{"id": self._spec.name, "object": "model"}]})
        flavour = flavour_of(path) if method == "POST" else None
        if flavour is None:
            return problem(404, "not_found_error", f"no {method} {path} here")
        async with self._one:
            body = await read(request)
            if body is None:
                return problem(413, "request_too_large", f"a request of more than {LARGEST} bytes")
            said = parsed(body)
            try:
                if not isinstance(said, dict):
                    raise Unfit("the body is not a JSON object")
                data = orjson.dumps(flavour.adapted(said, self._spec))
            except (Unfit, TypeError) as unfit:
                return problem(400, "invalid_request_error", str(unfit))
            return await self._passed(request, Asked(flavour, data, dict(request.headers.items())))

    def _knows(self, request: web.BaseRequest) -> bool:
        """Whether the token stands where one of the APIs puts its key."""
        headers = request.headers
        given = [headers.get(name, "") for name in ("x-api-key", "api-key")]
        given.append(headers.get("Authorization", "").removeprefix("Bearer "))
        return any(hmac.compare_digest(one.encode(errors="replace"), self._token.encode()) for one in given)

    async def _passed(self, request: web.BaseRequest, asked: Asked) -> web.StreamResponse:
        """Announce, send, hand in."""
        place = (SEAT, self._turn + 1, 0)
        try:
            await self._tape.announce(place, self._spec.most(len(asked.data)))
        except Stopped as stopped:
            self._fail(stopped)
            return problem(503, "overloaded_error", f"the run sends no more requests: {stopped}")
        self._turn += 1
        exchange = Exchange(self._model, asked)
        try:
            return await exchange.run(request)
        finally:
            reply = exchange.reply
            self._tape.add(self._tape.call(place, self._spec.name, asked.flavour.path[1:], reply, exchange.started))
            if reply.error_kind == ErrorKind.AUTH:
                self._fail(UnitFault(reply.error or "", ErrorKind.AUTH))


class Exchange:
    """One request to the endpoint, and its answer on the way to the agent. reply: what came of it so far."""

    def __init__(self, model: EndpointModel, asked: Asked) -> None:
        self._model, self._asked = model, asked
        self._spec, self._key = model.spec, ""
        self._heard = Heard()
        self._response: web.StreamResponse | None = None  # that has begun
        self.started, self._began = time.time(), time.perf_counter()
        self.reply = self._failed(ErrorKind.CONNECTION, "cut short before the reply was there")

    async def run(self, request: web.BaseRequest) -> web.StreamResponse:
        """The response that the agent gets."""
        await self._model.gate.enter()
        kind: ErrorKind | None = ErrorKind.LOST
        wait = None
        self._began = time.perf_counter()
        try:
            response = await self._sent(request)
            kind = None
        except EndpointError as error:
            kind, wait = error.kind, error.retry_after
            response = self._refused(error, request)
        finally:
            self._model.gate.leave(kind, wait)
        return response

    async def _sent(self, request: web.BaseRequest) -> web.StreamResponse:
        base, self._key = await place_of(self._model)
        url, proxy = way(base)
        url = url.removesuffix(ChatCompletions.path) + self._asked.flavour.path
        headers = {"Content-Type": "application/json", **self._asked.flavour.headers(self._key, self._asked.headers)}
        try:
            session = await opened()
            async with (
                asyncio.timeout(self._spec.timeout),
                session.post(
                    url, data=io.BytesIO(self._asked.data), headers=headers, proxy=proxy, allow_redirects=False
                ) as upstream,
            ):
                if upstream.status == 200 and upstream.content_type == "text/event-stream":
                    return await self._streamed(request, upstream)
                whole = await bounded(upstream)
        except TimeoutError:
            raise EndpointError(ErrorKind.TIMEOUT, f"no reply in {self._spec.timeout:g} s") from None
        except ClientError as error:
            raise EndpointError(ErrorKind.CONNECTION, str(error) or type(error).__name__) from None
        said = parsed(whole)
        if upstream.status != 200 or not isinstance(said, dict):
            raise refusal(upstream.status, said, upstream.headers.get("Retry-After"))
        self._asked.flavour.whole(said, self._heard)
        self.reply = self._replied()
        return web.Response(body=whole, content_type="application/json")

    async def _streamed(self, request: web.BaseRequest, upstream: ClientResponse) -> web.StreamResponse:
        """Events as they come; where the agent hangs up, what it has not heard may have been paid for all the same."""
        self._response = response = web.StreamResponse(
            headers={"Content-Type": "text/event-stream", "Cache-Control": "no-cache"}
        )
        await response.prepare(request)
        events, size = Events(), 0
        async for data in upstream.content.iter_any():
            for event in events.feed(data):
                self._asked.flavour.event(event, self._heard)
            size += len(data)
            if size > MOST_BYTES:
                raise EndpointError(ErrorKind.SERVER, f"reply larger than {MOST_BYTES // 2**20} MiB", 200)
            try:
                await response.write(data)
            except ConnectionError:
                self.reply = self._failed(ErrorKind.CONNECTION, "the agent hung up before the reply was whole")
                return response
        self.reply = self._replied()
        return response

    def _replied(self) -> Reply:
        heard, price = self._heard, self._spec.price
        return Reply(
            text="".join(heard.words),
            prompt_tokens=heard.prompt,
            completion_tokens=heard.completion,
            cached_tokens=heard.cached,
            cost=cost(price, heard.prompt, heard.completion, heard.cached),
            latency=time.perf_counter() - self._began,
            finish_reason=heard.reason,
        )

    def _failed(self, kind: ErrorKind, text: str) -> Reply:
        said = f"{self._spec.name}: {one_line(text, self._key)}"
        return Reply(text=None, latency=time.perf_counter() - self._began, error_kind=kind, error=said)

    def _refused(self, error: EndpointError, request: web.BaseRequest) -> web.StreamResponse:
        """Trouble at the other end, in the endpoint's own status unless our key is meant; a stream just breaks off."""
        self.reply = self._failed(error.kind, error.text)
        if self._response is not None:
            if request.transport is not None:
                request.transport.close()
            return self._response
        status = error.status if error.status and error.status >= 400 and error.kind is not ErrorKind.AUTH else 502
        wait = {} if error.retry_after is None else {"Retry-After": f"{error.retry_after:.0f}"}
        return problem(status, "api_error", self.reply.error or "", wait)


async def place_of(model: EndpointModel) -> tuple[str, str]:
    """Where a model is, and its key; EndpointError where there is none, BadInput where nobody can know where it is."""
    base, key = await model.base(), model.key()
    if base is None:
        base, variable = usual(model)
        key = os.environ.get(variable) if key == "" else key
    if not key:
        raise EndpointError(
            ErrorKind.AUTH, f"no key on this host; set {model.spec.api_key_env or 'the usual variable'}"
        )
    way(base)
    return base, key


def usual(model: EndpointModel) -> tuple[str, str]:
    """A provider's own address, and the variable with its key; BadInput for one that we do not know."""
    spec = model.spec
    found = USUAL.get(spec.model.partition("/")[0])
    if found is None:
        raise BadInput(f"models.{spec.name}.api_base: must be set, for an agent to reach {spec.model}")
    return found


async def read(request: web.BaseRequest) -> bytes | None:
    """The body; None where it is too large."""
    if request.headers.get("Expect", "").lower() == "100-continue":
        await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
    body = bytearray()
    async for chunk in request.content.iter_any():
        body += chunk
        if len(body) > LARGEST:
            return None
    return bytes(body)


def problem(status: int, kind: str, message: str, headers: dict[str, str] | None = None) -> web.Response:
    """An error in both APIs' words."""
    said = {"type": "error", "error": {"type": kind, "message": message, "code": None, "param": None}}
    return web.json_response(said, status=status, headers=headers)
