"""A loopback chat endpoint for tests: replies are a pure function of the request, trouble comes on demand.

    with Loopback(lag=0.01) as server:                  # in a thread of this process
        server.misbehave(Trouble.STATUS, status=429, retry_after="0.1", times=3)
        ...                                             # server.url, server.total, server.counts, server.bodies
    with LoopbackProcess(lag=0.01) as server:           # in a process that outlives killed clients
        ...                                             # server.url, server.total, server.counts
    python tests/loopback.py --port 8000                # by hand; GET /counts, POST /misbehave

A reply follows from the SHA-256 of model, messages, seed and response_format, and from nothing else.
"""

import argparse
import asyncio
import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from collections import Counter, deque
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from types import TracebackType
from typing import Any, Self

from aiohttp import web

from actors.dialogue import AnswerReply, CardReply, QuestionReply, RatingReply

Json = dict[str, Any]

WORDS = (
    *("attention", "cache", "clustering", "contrast", "convolution", "curriculum", "diffusion", "distillation"),
    *("dropout", "ensemble", "entropy", "feedback", "filtering", "gating", "graphs", "hashing", "kernels", "memory"),
    *("mixture", "momentum", "noise", "pruning", "ranking", "recursion", "replay", "residuals", "retrieval"),
    *("sampling", "search", "smoothing", "sparsity", "symmetry", "tokens", "voting"),
)

SLOW_SECONDS = 60.0
CONTEXT_MESSAGE = "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."


class Trouble(StrEnum):
    """What the server can do wrong."""

    STATUS = "status"  # refuse with an HTTP status
    CONTEXT = "context"  # refuse with 400: the prompt does not fit
    RUBBISH = "rubbish"  # content that is not JSON
    SCHEMA = "schema"  # JSON of another shape
    EMPTY = "empty"  # no content
    CUT_OFF = "cut_off"  # half of the content, finish_reason length
    FILTER = "filter"  # no content, finish_reason content_filter
    DROP = "drop"  # close the connection without an answer
    SLOW = "slow"  # answer only after a minute
    ENDLESS = "endless"  # a body that does not end


@dataclass
class Order:
    """A standing order to misbehave: for the next ``times`` requests, or for a ``fraction`` of all bodies.

    each: how often one and the same body is hit; None is always, so a retry never helps.
    """

    trouble: Trouble
    status: int = 500
    retry_after: str | None = None
    message: str = "refused on demand"
    times: int | None = None
    fraction: float | None = None
    each: int | None = None

    def hits(self, key: str, seen: int) -> bool:
        """Whether it strikes the body ``key``, that has been seen ``seen`` times before; counts ``times`` down."""
        if self.each is not None and seen >= self.each:
            return False
        if self.fraction is not None:
            own = hashlib.sha256(f"{self.trouble} {self.status} {key}".encode()).digest()  # each trouble its own bodies
            return int.from_bytes(own[:4], "big") / 2**32 < self.fraction
        if self.times is None:
            return True
        self.times -= 1
        return self.times >= 0


def body_key(body: Json) -> str:
    """SHA-256 of what a reply follows from."""
    parts = [body.get(name) for name in ("model", "messages", "seed", "response_format")]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def shape(body: Json) -> Json | None:
    """The JSON schema that a reply must have: as asked for, or guessed from the last message; None is plain text."""
    asked = body.get("response_format") or {}
    if "json_schema" in asked:
        schema: Json = asked["json_schema"]["schema"]
        return schema
    last = str(body["messages"][-1]["content"])
    for kind in (CardReply, RatingReply, AnswerReply, QuestionReply):
        if all(f'"{name}"' in last for name in kind.model_fields):
            return kind.model_json_schema()
    return None


def fill(schema: Json, draw: random.Random, name: str = "", root: Json | None = None) -> Any:
    """A value of ``schema`` drawn from ``draw``; strings say which field they stand in."""
    root = root or schema
    if "$ref" in schema:
        return fill(root["$defs"][schema["$ref"].rsplit("/", 1)[1]], draw, name, root)
    if "anyOf" in schema:
        return fill(schema["anyOf"][0], draw, name, root)
    if "const" in schema or "enum" in schema:
        return draw.choice(schema.get("enum") or [schema["const"]])
    match schema.get("type"):
        case "object":
            return {key: fill(value, draw, key, root) for key, value in schema.get("properties", {}).items()}
        case "array":
            low = schema.get("minItems", 1)
            count = draw.randint(low, max(low, min(schema.get("maxItems", 3), low + 2)))
            return [fill(schema["items"], draw, name, root) for _ in range(count)]
        case "integer":
            return draw.randint(schema.get("minimum", 0), schema.get("maximum", 100))
        case "number":
            return round(draw.uniform(schema.get("minimum", 0), schema.get("maximum", 1)), 3)
        case "boolean":
            return draw.random() < 0.5
        case "null":
            return None
    thing = f"{draw.choice(WORDS)} {draw.randrange(100_000)}"
    text = f"Does the method use {thing}?" if name == "question" else f"{name or 'text'} with {thing}"
    return text[: schema.get("maxLength")]


def content(body: Json) -> str:
    """What a well-behaved reply says."""
    draw = random.Random(body_key(body))
    wanted = shape(body)
    return json.dumps(fill(wanted, draw)) if wanted else f"{draw.choice(WORDS)} {draw.randrange(100_000)}"


def completion(body: Json, trouble: Trouble | None) -> Json:
    """An OpenAI chat completion; tokens are words."""
    said = content(body)
    text: str | None = said
    finish = "stop"
    match trouble:
        case Trouble.RUBBISH:
            text = "I would rather not say."
        case Trouble.SCHEMA:
            text = '{"unexpected": 1}'
        case Trouble.EMPTY:
            text = ""
        case Trouble.CUT_OFF:
            text, finish = said[: len(said) // 2], "length"
        case Trouble.FILTER:
            text, finish = None, "content_filter"
    prompt = sum(len(str(message["content"]).split()) for message in body["messages"])
    answered = len((text or "").split())
    return {
        "id": f"chatcmpl-{body_key(body)[:16]}",
        "object": "chat.completion",
        "created": 0,
        "model": body.get("model", ""),
        "choices": [{"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text}}],
        "usage": {
            "prompt_tokens": prompt,
            "completion_tokens": answered,
            "total_tokens": prompt + answered,
            "prompt_tokens_details": {"cached_tokens": 0},
        },
    }


async def endless(request: web.Request) -> web.StreamResponse:
    """Spaces, until nobody reads them."""
    response = web.StreamResponse(headers={"Content-Type": "application/json"})
    await response.prepare(request)
    with suppress(ConnectionError):
        for _ in range(1024):
            await response.write(b" " * 2**17)
    return response


class Endpoint:
    """The HTTP side: counts, obeys orders, answers."""

    def __init__(self, lag: float, keep: bool) -> None:
        self.lag = lag
        self.keep = keep
        self.orders: list[Order] = []
        self.counts: Counter[str] = Counter()
        self.bodies: deque[Json] = deque(maxlen=10_000)
        self.headers: dict[str, str] = {}
        self.in_flight = 0
        self.peak = 0
        self.usage: Counter[str] = Counter()
        self.touched = time.monotonic()

    def application(self) -> web.Application:
        """The routes."""
        app = web.Application(client_max_size=64 * 2**20)
        app.router.add_post("/v1/chat/completions", self.chat)
        app.router.add_get("/counts", self.show_counts)
        app.router.add_post("/misbehave", self.obey)
        return app

    async def chat(self, request: web.Request) -> web.StreamResponse:
        """One completion, or the trouble that was ordered."""
        body = await request.json()
        self.touched = time.monotonic()
        key = body_key(body)
        seen = self.counts[key]
        self.counts[key] += 1
        self.headers = dict(request.headers)
        if self.keep:
            self.bodies.append(body)
        self.in_flight += 1
        self.peak = max(self.peak, self.in_flight)
        try:
            order = next((order for order in self.orders if order.hits(key, seen)), None)
            await asyncio.sleep(SLOW_SECONDS if order and order.trouble is Trouble.SLOW else self.lag)
            if order and order.trouble is Trouble.ENDLESS:
                return await endless(request)
            return self.respond(request, body, order)
        finally:
            self.in_flight -= 1

    def respond(self, request: web.Request, body: Json, order: Order | None) -> web.StreamResponse:
        """The HTTP response."""
        if order is None or order.trouble not in {Trouble.STATUS, Trouble.CONTEXT, Trouble.DROP}:
            said = completion(body, order.trouble if order else None)
            self.usage.update({name: said["usage"][name] for name in ("prompt_tokens", "completion_tokens")})
            return web.json_response(said)
        if order.trouble is Trouble.DROP:
            if request.transport:
                request.transport.close()
            return web.Response()
        if order.trouble is Trouble.CONTEXT:
            refusal = {"message": CONTEXT_MESSAGE, "code": "context_length_exceeded", "type": "invalid_request_error"}
            return web.json_response({"error": refusal}, status=400)
        headers = {"Retry-After": order.retry_after} if order.retry_after else None
        return web.json_response({"error": {"message": order.message}}, status=order.status, headers=headers)

    async def show_counts(self, request: web.Request) -> web.Response:
        """GET /counts: how many requests came, in all, at once, and for each body."""
        return web.json_response({"total": self.counts.total(), "peak": self.peak, "counts": dict(self.counts)})

    async def obey(self, request: web.Request) -> web.Response:
        """POST /misbehave: the fields of an order, or null to behave again."""
        order = await request.json()
        if order is None:
            self.orders.clear()
        else:
            self.orders.append(Order(**{**order, "trouble": Trouble(order["trouble"])}))
        return web.json_response(len(self.orders))


class Loopback:
    """The server in a thread of this process."""

    def __init__(self, lag: float = 0.0, keep: bool = True, port: int = 0) -> None:
        self.endpoint = Endpoint(lag, keep)
        self.port = port
        self.loop = asyncio.new_event_loop()
        self.ready = threading.Event()
        self.stop = asyncio.Event()
        self.thread = threading.Thread(target=self.serve, daemon=True)

    def serve(self) -> None:
        """Runs the loop until it is told to stop."""
        self.loop.run_until_complete(self.listen())
        self.loop.close()

    async def listen(self) -> None:
        """Serves until ``stop``."""
        runner = web.AppRunner(self.endpoint.application(), access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", self.port).start()
        self.port = runner.addresses[0][1]
        self.ready.set()
        await self.stop.wait()
        await runner.cleanup()

    def __enter__(self) -> Self:
        self.thread.start()
        assert self.ready.wait(10), "the loopback server did not start"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.loop.call_soon_threadsafe(self.stop.set)
        self.thread.join()

    def misbehave(self, trouble: Trouble, **order: Any) -> None:
        """From now on `Order`; the oldest order that hits a request wins."""
        self.endpoint.orders.append(Order(trouble, **order))

    def behave(self) -> None:
        """Forgets all orders."""
        self.endpoint.orders.clear()

    @property
    def url(self) -> str:
        """What goes into ``api_base``."""
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def total(self) -> int:
        """Requests so far, refused ones too."""
        return self.endpoint.counts.total()

    @property
    def counts(self) -> Counter[str]:
        """Requests by `body_key`."""
        return self.endpoint.counts

    @property
    def bodies(self) -> list[Json]:
        """The last 10,000 bodies, if they are kept."""
        return list(self.endpoint.bodies)

    @property
    def peak(self) -> int:
        """Most requests that were in flight at once."""
        return self.endpoint.peak

    @property
    def usage(self) -> Counter[str]:
        """Sums of prompt_tokens and completion_tokens of all replies."""
        return self.endpoint.usage


class LoopbackProcess:
    """The server in a process and session of its own: clients may be killed, this one goes on.

    It ends with the context, or by itself after ``idle`` seconds without a request, should the test be killed too.
    """

    def __init__(self, lag: float = 0.0, idle: float = 120.0) -> None:
        self.lag = lag
        self.idle = idle

    def __enter__(self) -> Self:
        self.process = subprocess.Popen(
            [sys.executable, __file__, "--port", "0", "--lag", str(self.lag), "--idle", str(self.idle)],
            stdout=subprocess.PIPE,
            start_new_session=True,
            text=True,
        )
        assert self.process.stdout
        self.url = self.process.stdout.readline().strip()
        assert self.url, "the loopback server did not start"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.terminate()
        self.process.communicate()

    def call(self, path: str, data: bytes | None = None) -> Any:
        """The JSON at ``path``."""
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(self.url.removesuffix("/v1") + path, data, timeout=10) as response:
            return json.load(response)

    def misbehave(self, trouble: Trouble, **order: Any) -> None:
        """As `Loopback.misbehave`."""
        self.call("/misbehave", json.dumps({"trouble": trouble, **order}).encode())

    def behave(self) -> None:
        """As `Loopback.behave`."""
        self.call("/misbehave", b"null")

    @property
    def total(self) -> int:
        """As `Loopback.total`."""
        return int(self.call("/counts")["total"])

    @property
    def counts(self) -> Counter[str]:
        """As `Loopback.counts`."""
        return Counter(self.call("/counts")["counts"])


def main() -> None:
    """Serves until killed, or idle for too long; the first line on stdout is the address."""
    parser = argparse.ArgumentParser(description="A loopback chat endpoint for tests.")
    parser.add_argument("--port", type=int, default=8000, help="0 takes a free one")
    parser.add_argument("--lag", type=float, default=0.0, help="seconds before each reply")
    parser.add_argument("--idle", type=float, default=float("inf"), help="end after so many seconds without a request")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    with Loopback(options.lag, keep=False, port=options.port) as server:
        sys.stdout.write(f"{server.url}\n")
        sys.stdout.flush()
        while time.monotonic() - server.endpoint.touched < options.idle:
            time.sleep(0.5)


if __name__ == "__main__":
    main()
