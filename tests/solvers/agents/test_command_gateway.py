"""The gateway between an agent and its models: three APIs, whole and as events; each request a row, none beside it."""

import asyncio
import io
import json
from collections.abc import AsyncIterator
from typing import Any, Self

import pytest
from aiohttp import ClientError, ClientSession, ClientTimeout, web
from model_apis import ModelApis

from actors.amount import Amount
from actors.channel import Stopped
from actors.endpoint import EndpointModel
from actors.errors import ErrorKind, UnitFault
from actors.model import Price, Spec
from actors.recorded import Place, Recorded
from actors.replay import Tape
from solvers.agents.flavour import FLAVOURS, Unfit
from solvers.agents.gateway import LARGEST, Gateway

TOKEN = "right"
PATHS = ["/v1/chat/completions", "/v1/responses", "/v1/messages"]
KEY = "sk-very-secret-key"


class Watched(Tape):
    """A tape that notes what is announced, and may refuse it."""

    announced: list[tuple[Place, Amount]]
    stopped = False

    async def announce(self, place: Place, most: Amount) -> None:
        if self.stopped:
            raise Stopped("budget.calls=1")
        self.announced.append((place, most))


class Door:
    """A gateway with a port of its own."""

    def __init__(self, apis: ModelApis, **more: Any) -> None:
        known: dict[str, Any] = {
            "name": "coder",
            "family": "test",
            "model": "openai/served/name",
            "api_base": apis.url,
            "max_tokens": 50,
            "price": Price(input=1.0, cached=0.5, output=2.0),
        }
        self.spec = Spec(**(known | more))
        self.tape = Watched.of("unit", "b01", Recorded(), None)
        self.tape.announced = []
        self.failed: list[BaseException] = []
        self.gateway = Gateway(self.tape, EndpointModel(self.spec), TOKEN, self.failed.append)

    async def __aenter__(self) -> Self:
        self.runner = web.ServerRunner(self.gateway.server, shutdown_timeout=0.1)
        await self.runner.setup()
        await web.TCPSite(self.runner, "127.0.0.1", 0).start()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.runner.cleanup()

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.runner.addresses[0][1]}{path}"

    async def ask(self, path: str, body: Any, headers: dict[str, str] | None = None) -> tuple[int, bytes]:
        sent = {"Authorization": f"Bearer {TOKEN}"} if headers is None else headers
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        async with (
            ClientSession(timeout=ClientTimeout(10)) as session,
            session.post(self.url(path), data=io.BytesIO(data), headers=sent) as response,
        ):
            return response.status, await response.read()


@pytest.fixture
async def apis() -> AsyncIterator[ModelApis]:
    async with ModelApis() as running:
        yield running


@pytest.fixture
async def door(apis: ModelApis) -> AsyncIterator[Door]:
    made = Door(apis)
    async with made:
        yield made


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("path", PATHS)
async def test_a_reply_comes_unchanged_and_its_row_holds_what_it_cost(
    apis: ModelApis, door: Door, path: str, stream: bool
) -> None:
    status, said = await door.ask(path, {"model": "mine", "stream": stream, "max_tokens": 40, "extra": [1]})
    assert (status, said) == (200, apis.sent)
    (body,) = apis.bodies
    assert (body["model"], body["extra"]) == ("served/name", [1])
    (call,) = door.tape.calls
    assert call.place == ("agent", 1, 0) == door.tape.announced[0][0]
    reply = call.reply
    assert (reply.prompt_tokens, reply.completion_tokens, reply.cached_tokens) == (11, 5, 3)
    assert reply.cost == pytest.approx((8 * 1.0 + 3 * 0.5 + 5 * 2.0) / 1e6)
    assert reply.text
    assert reply.text.startswith("Hellorun{")
    assert reply.finish_reason in ("tool_calls", "completed", "tool_use")
    assert call.prompt == path.removeprefix("/v1/")
    assert door.tape.announced[0][1].tokens >= 50 + len(json.dumps(body, separators=(",", ":")))
    assert door.failed == []


async def test_chat_streams_are_made_to_tell_their_usage(apis: ModelApis, door: Door) -> None:
    await door.ask(PATHS[0], {"stream": True, "stream_options": {"include_usage": False, "other": 1}})
    assert apis.bodies[0]["stream_options"] == {"include_usage": True, "other": 1}


async def test_keys_are_ours_and_go_where_each_api_wants_them(apis: ModelApis, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEURESIS_TEST_KEY", KEY)
    door = Door(apis, api_key_env="HEURESIS_TEST_KEY")
    async with door:
        for path in PATHS:
            given = {"x-api-key": TOKEN, "anthropic-version": "2024-01-01", "anthropic-beta": "b", "x-other": "o"}
            assert (await door.ask(path, {}, given))[0] == 200
        for headers in apis.headers[:2]:
            assert headers["authorization"] == f"Bearer {KEY}"
            assert not headers.keys() & {"x-api-key", "anthropic-version", "x-other"}
        last = apis.headers[2]
        assert (last["x-api-key"], last["anthropic-version"], last["anthropic-beta"]) == (KEY, "2024-01-01", "b")
        assert not last.keys() & {"authorization", "x-other"}
        apis.refusal = (400, f"bad request with {KEY} in it")
        status, said = await door.ask(PATHS[0], {})
        assert status == 400
        assert KEY.encode() not in said
        assert b"bad request with *** in it" in said
        assert KEY not in (door.tape.calls[-1].reply.error or "")


async def test_only_the_token_opens(apis: ModelApis, door: Door) -> None:
    wrong = [
        {},
        {"Authorization": "Bearer "},
        {"Authorization": "Bearer wrong"},
        {"x-api-key": "rightx"},
        {"Authorization": "Basic right"},
    ]
    for headers in wrong:
        assert (await door.ask(PATHS[0], {}, headers))[0] == 401
    assert (apis.bodies, door.tape.calls, door.tape.announced) == ([], [], [])
    for headers in ({"api-key": TOKEN}, {"x-api-key": TOKEN, "Authorization": "Bearer wrong"}):
        assert (await door.ask(PATHS[0], {}, headers))[0] == 200


async def test_only_three_paths_and_the_list_of_models_are_served(apis: ModelApis, door: Door) -> None:
    for path in ("/v1/embeddings", "/v1/files", "/", "/v1/messages/count_tokens", "/v1/v1/messages", "/admin"):
        status, said = await door.ask(path, {})
        assert status == 404
        assert json.loads(said)["error"]["type"] == "not_found_error"
    for path in ("/messages", "/v1/messages?beta=true"):
        assert (await door.ask(path, {}))[0] == 200
    async with ClientSession() as session:
        url, headers = door.url("/v1/models"), {"x-api-key": TOKEN}
        async with session.get(url, headers=headers) as response:
            assert (await response.json())["data"] == [{"id": "coder", "object": "model"}]
        async with session.get(door.url(PATHS[0]), headers=headers) as response:
            assert response.status == 404
    assert len(apis.bodies) == 2


async def test_what_is_no_request_is_refused_and_costs_nothing(apis: ModelApis, door: Door) -> None:
    for path, body, why in [
        (PATHS[0], b"no json", "not a JSON object"),
        (PATHS[0], [1], "not a JSON object"),
        (PATHS[1], {"max_output_tokens": "many"}, "max_output_tokens must be"),
        (PATHS[2], {"max_tokens": 0}, "max_tokens must be"),
    ]:
        status, said = await door.ask(path, body)
        assert status == 400
        assert why in json.loads(said)["error"]["message"]
    assert (await door.ask(PATHS[0], b" " * (LARGEST + 1)))[0] == 413
    assert (apis.bodies, door.tape.announced) == ([], [])
    assert (await door.ask(PATHS[0], {"messages": "x" * 3_000_000}))[0] == 200


async def test_requests_of_a_branch_go_one_at_a_time(apis: ModelApis, door: Door) -> None:
    apis.lag = 0.02
    answers = await asyncio.gather(*(door.ask(PATHS[0], {"stream": number % 2 == 0}) for number in range(6)))
    assert {status for status, _ in answers} == {200}
    assert apis.peak == 1
    assert [call.turn for call in door.tape.calls] == [1, 2, 3, 4, 5, 6]


async def test_at_the_runs_end_the_agent_is_refused_and_the_branch_ends(apis: ModelApis, door: Door) -> None:
    door.tape.stopped = True
    status, said = await door.ask(PATHS[2], {})
    assert status == 503
    assert b"the run sends no more requests: budget.calls=1" in said
    (error,) = door.failed
    assert isinstance(error, Stopped)
    assert (apis.bodies, door.tape.calls) == ([], [])


@pytest.mark.parametrize(
    ("status", "told", "kind"),
    [(429, 429, ErrorKind.RATE), (500, 500, ErrorKind.SERVER), (400, 400, ErrorKind.BAD_REQUEST), (401, 502, "auth")],
)
async def test_trouble_at_the_endpoint_is_told_once_and_kept(
    apis: ModelApis, door: Door, status: int, told: int, kind: str
) -> None:
    apis.refusal = (status, "no")
    assert (await door.ask(PATHS[0], {}))[0] == told
    assert len(apis.bodies) == 1
    (call,) = door.tape.calls
    assert (call.reply.text, call.reply.error_kind) == (None, kind)
    assert [type(error) for error in door.failed] == ([UnitFault] if kind == "auth" else [])


async def test_a_stream_that_breaks_off_does_so_for_the_agent_too(apis: ModelApis, door: Door) -> None:
    apis.cut = 2
    with pytest.raises(ClientError):
        await door.ask(PATHS[0], {"stream": True})
    (call,) = door.tape.calls
    assert (call.reply.text, call.reply.error_kind) == (None, ErrorKind.CONNECTION)
    assert call.reply.prompt_tokens is None  # so it counts as the most that it could have cost


async def test_an_agent_that_hangs_up_has_its_request_counted_as_the_most(apis: ModelApis, door: Door) -> None:
    apis.pause = 0.05
    async with ClientSession() as session:
        sent = session.post(door.url(PATHS[2]), json={"stream": True}, headers={"x-api-key": TOKEN})
        async with sent as response:
            await response.content.readany()
    while not door.tape.calls:
        await asyncio.sleep(0.01)
    (call,) = door.tape.calls
    assert (call.reply.text, call.reply.prompt_tokens) == (None, None)
    assert call.reply.error == "coder: the agent hung up before the reply was whole"
    apis.pause = 0.0
    assert (await door.ask(PATHS[0], {}))[0] == 200  # the next one's turn has come


async def test_nobody_there_is_a_502(door: Door, apis: ModelApis) -> None:
    other = Door(apis, api_base="http://127.0.0.1:9/v1")
    async with other:
        assert (await other.ask(PATHS[0], {}))[0] == 502
    assert other.tape.calls[0].reply.error_kind == ErrorKind.CONNECTION


def test_a_request_keeps_what_it_says_but_for_what_costs_or_reaches_out() -> None:
    spec = Spec(name="c", family="f", model="openai/m", api_base="http://h/v1", max_tokens=50, extra={"effort": "low"})
    chat, responses, messages = FLAVOURS
    tools = [
        {"type": "function", "function": {"name": "f"}},
        {"type": "web_search"},
        {"type": "web_search_20250305", "name": "web_search"},
        {"type": "code_interpreter"},
        {"type": "mcp", "server_url": "http://x"},
        {"name": "untyped", "input_schema": {}},
        {"type": "text_editor_20250728", "name": "e"},
        "no tool",
    ]
    kept = [tools[0], tools[5], tools[6]]
    asked = {"n": 5, "max_completion_tokens": 9000, "temperature": 1, "service_tier": "priority", "tools": tools}
    expected = {"model": "m", "temperature": 1, "tools": kept, "max_tokens": 50, "effort": "low"}
    assert chat.adapted(asked, spec) == expected
    assert responses.adapted({"background": True, "max_output_tokens": 7}, spec) == {
        "model": "m",
        "max_output_tokens": 7,
    }
    only = {"tools": tools[1:4], "tool_choice": "auto", "mcp_servers": [1], "messages": []}
    assert messages.adapted(only, spec) == {"model": "m", "messages": [], "max_tokens": 50}
    newer = spec.model_copy(update={"model": "openai/gpt-5.4"})
    assert chat.adapted({"max_tokens": 8}, newer)["max_completion_tokens"] == 8
    with pytest.raises(Unfit):
        messages.adapted({"max_tokens": True}, spec)
