"""Our own client: who gets it, what it does not need, and what it does not let an endpoint do."""

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from asking import NOBODY, answering, ask, question, spec
from loopback import Loopback, LoopbackProcess

from actors import http_client
from actors.endpoint import EndpointModel, transport
from actors.errors import BadInput, ErrorKind
from actors.http_client import HttpClient, way
from actors.model import Client, Kind, Spec
from actors.row import parse

ROOT = Path(__file__).parents[2]
OTHER = "http://10.9.8.7:8000/v1"


@pytest.mark.parametrize(
    ("more", "ours"),
    [
        ({}, True),
        ({"model": "hosted_vllm/openai/gpt-oss-120b"}, True),
        ({"client": "litellm"}, False),
        ({"api_base": None}, False),
        ({"model": "anthropic/claude"}, False),
        ({"model": "m"}, False),
        ({"model": "openai/gpt-5.4"}, False),
        ({"model": "openai/o3"}, False),
        ({"model": "openai/gpt-5.4", "client": "http"}, True),
        ({"kind": Kind.EMBEDDED, "api_base": None, "model": ""}, True),
    ],
)
def test_who_gets_it(more: dict[str, Any], ours: bool) -> None:
    made = spec(**{"base": more.pop("api_base", NOBODY), **more})
    assert made.over_http() is ours
    if ours:
        assert isinstance(transport(made), HttpClient)


@pytest.mark.parametrize(
    "more", [{"api_base": None}, {"model": "anthropic/claude"}, {"kind": "scripted", "model": "", "api_base": None}]
)
def test_asked_for_where_it_cannot_serve_is_an_error_in_one_line(more: dict[str, Any]) -> None:
    own = {"name": "m", "family": "test", "model": "openai/m", "api_base": NOBODY, "client": "http"}
    with pytest.raises(BadInput) as caught:
        parse(Spec, {**own, **more}, "models.m")
    assert str(caught.value).endswith("client: http needs api_base, and a model named openai/NAME or hosted_vllm/NAME")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "base", ["http://h:99999/v1", "http://:80/v1", "http://[::1/v1", "http://h:x/v1", "ftp://h/v1"]
)
def test_what_cannot_be_an_address_is_refused(base: str) -> None:
    with pytest.raises(BadInput, match=r"models\.m: api_base: "):
        parse(Spec, {"name": "m", "family": "test", "model": "openai/m", "api_base": base}, "models.m")


def test_which_client_is_no_part_of_a_model() -> None:
    assert spec(NOBODY, client=Client.HTTP).identity() == spec(NOBODY, client=Client.LITELLM).identity()


def test_litellm_is_not_needed_and_nothing_is_left_open() -> None:
    code = "\n".join(
        (
            "import asyncio, sys",
            "sys.path.insert(0, 'tests')",
            "from asking import question, spec",
            "from actors.gateway import Corpus, open_model",
            "model = open_model(spec(sys.argv[1]), Corpus({}, {}, 0))",
            "print(asyncio.run(model.complete(question())).error_kind, 'litellm' in sys.modules)",
        )
    )
    with LoopbackProcess() as server:
        done = subprocess.run(
            [sys.executable, "-W", "error", "-X", "dev", "-c", code, server.url],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
    assert (done.stdout, done.stderr) == ("None False\n", "")


def test_a_loop_has_one_session_that_ends_with_it() -> None:
    async def twice(server: Loopback) -> tuple[int, bool]:
        await asyncio.gather(*[ask(server, question(number)) for number in range(5)])
        session = await http_client.opened()
        assert len(http_client.sessions) == 1
        return id(session), session.closed

    with Loopback() as server:
        for _ in range(2):
            assert asyncio.run(twice(server))[1] is False
            assert http_client.sessions == {}


async def test_a_huge_body_is_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_client, "MOST_BYTES", 2**20)
    async with answering(b" " * (2**20 + 1)) as base:
        reply = await EndpointModel(spec(base, tries=1)).complete(question())
    assert (reply.error_kind, reply.error) == (ErrorKind.SERVER, "m: reply larger than 1 MiB")


async def test_a_redirect_is_not_followed() -> None:
    with Loopback() as server:
        async with answering(b"", 307, Location=f"{server.url}/chat/completions") as base:
            reply = await EndpointModel(spec(base, tries=1)).complete(question())
        assert server.total == 0
    assert reply.error_kind == ErrorKind.BAD_REQUEST
    assert reply.error == f"m: HTTP 307: redirects to {server.url}/chat/completions, which is not followed"


@pytest.fixture
def proxy(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An environment that sends everything to a proxy."""
    for name in ("no_proxy", "NO_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    way.cache_clear()
    yield
    way.cache_clear()


@pytest.mark.usefixtures("proxy")
async def test_a_proxy_is_for_other_machines(monkeypatch: pytest.MonkeyPatch) -> None:
    with Loopback() as server:
        assert (await ask(server)).error_kind is None
    assert way(OTHER) == (f"{OTHER}/chat/completions", "http://127.0.0.1:9")
    assert way("http://localhost/v1/")[1] is way("http://[::1]:8/v1")[1] is None
    way.cache_clear()
    monkeypatch.setenv("no_proxy", "10.9.8.7")
    assert way(OTHER)[1] is None


@pytest.mark.usefixtures("proxy")
def test_a_proxy_of_another_kind_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY"):
        monkeypatch.setenv(name, "socks5://10.0.0.1:1080")
    with pytest.raises(BadInput, match="is not an HTTP one; set client=litellm"):
        way(OTHER)
