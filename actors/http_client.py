"""Requests to OpenAI-compatible endpoints without LiteLLM: one session for each event loop, connections kept alive.

What is guarded: the size of an answer, redirects (not followed), proxies on loopback (never used), ~/.netrc (not
read). What is not: time and requests in flight, which are the caller's to bound. Certificates are the system's.
"""

import asyncio
from collections.abc import AsyncGenerator
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import orjson
from aiohttp import ClientError, ClientResponse, ClientSession, ClientTimeout, DummyCookieJar, TCPConnector

from actors.chat import extra_of, parsed
from actors.endpoint_error import EndpointError, refusal
from actors.errors import BadInput, ErrorKind
from actors.model import Spec

MOST_BYTES = 32 * 2**20
KEPT_ALIVE = 60.0  # seconds that a connection may be idle

sessions: dict[asyncio.AbstractEventLoop, tuple[ClientSession, AsyncGenerator[ClientSession, None]]] = {}


class HttpClient:
    """Sends chat requests of one model; see `actors.endpoint.Transport`."""

    def __init__(self, spec: Spec) -> None:
        self._model = spec.model.partition("/")[2]
        self._extra = extra_of(spec)

    async def send(self, call: dict[str, Any], base: str | None, key: str) -> dict[str, Any]:
        """The completion; EndpointError where there is none."""
        url, proxy = way(base or "")
        roomy = orjson.dumps({"model": self._model, **call, **self._extra})
        body = bytes(memoryview(roomy))  # it holds eight times the memory that it fills
        del roomy
        headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json", "Accept": "application/json"}
        try:
            session = await opened()
            async with session.post(url, data=body, headers=headers, proxy=proxy, allow_redirects=False) as response:
                whole = await bounded(response)
        except ClientError as error:
            raise EndpointError(ErrorKind.CONNECTION, str(error) or type(error).__name__) from None
        said = parsed(whole)
        if response.status != 200:
            moved = response.headers.get("Location") if 300 <= response.status < 400 else None
            told = f"redirects to {moved}, which is not followed" if moved else said
            raise refusal(response.status, told, response.headers.get("Retry-After"))
        if not isinstance(said, dict):
            raise refusal(200, f"not a completion: {str(said)[:100]}", None)
        return said


@lru_cache(maxsize=1000)
def way(base: str) -> tuple[str, str | None]:
    """Where requests go, and the proxy that the environment names for it: none to this machine itself."""
    url, parts = base.rstrip("/") + "/chat/completions", urlsplit(base)
    host = parts.hostname or ""
    if host in {"localhost", "::1"} or host.startswith("127.") or proxy_bypass(host):
        return url, None
    named = getproxies()
    proxy = named.get(parts.scheme) or named.get("all")
    if proxy and not proxy.startswith(("http://", "https://")):
        raise BadInput(f"{base}: the proxy in the environment is not an HTTP one; set client=litellm for this model")
    return url, proxy


async def opened() -> ClientSession:
    """This event loop's session."""
    loop = asyncio.get_running_loop()
    if loop not in sessions:
        life = living(loop)
        sessions[loop] = await anext(life), life
    return sessions[loop][0]


async def living(loop: asyncio.AbstractEventLoop) -> AsyncGenerator[ClientSession, None]:
    """A session that ends with its loop: what runs a loop closes generators that are still open."""
    connector = TCPConnector(limit=0, keepalive_timeout=KEPT_ALIVE)  # in flight is bounded before
    try:
        async with ClientSession(
            connector=connector, timeout=ClientTimeout(total=None), cookie_jar=DummyCookieJar()
        ) as session:
            yield session
    finally:
        sessions.pop(loop, None)


async def bounded(response: ClientResponse) -> bytes:
    """The body; EndpointError if it is larger than any reply can be."""
    chunks, size = list[bytes](), 0
    async for chunk in response.content.iter_any():
        size += len(chunk)
        if size > MOST_BYTES:
            raise EndpointError(ErrorKind.SERVER, f"reply larger than {MOST_BYTES // 2**20} MiB", response.status)
        chunks.append(chunk)
    return chunks[0] if len(chunks) == 1 else b"".join(chunks)
