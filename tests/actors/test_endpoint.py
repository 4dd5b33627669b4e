"""Models at endpoints, through both clients: what a reply holds, what is tried again, what an error says."""

import asyncio
import json
import socket
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from asking import KEY, NOBODY, answer, answering, ask, question, spec
from loopback import Loopback, Trouble

from actors.amount import Amount
from actors.dialogue import QuestionReply
from actors.endpoint import EndpointModel
from actors.endpoint_error import retry_after
from actors.errors import BadInput, ErrorKind, UnitFault
from actors.model import Client, Price, Reply

CLIENTS = [Client.HTTP, Client.LITELLM]


@pytest.fixture(params=CLIENTS)
def client(request: pytest.FixtureRequest) -> Client:
    """Each of the two."""
    return Client(request.param)


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """No pause between tries."""
    monkeypatch.setattr("actors.endpoint.pause", lambda _: 0.001)


async def test_a_reply_holds_text_tokens_and_cost(client: Client) -> None:
    with Loopback() as server:
        reply = await ask(server, price=Price(input=2.0, output=10.0), client=client)
        sent = server.bodies[0]
    words = sum(len(message["content"].split()) for message in question().messages())
    assert reply.text
    assert len(reply.text.split()) == 7
    QuestionReply.model_validate_json(reply.text)
    assert (reply.prompt_tokens, reply.completion_tokens, reply.cached_tokens) == (words, 7, 0)
    assert reply.cost == pytest.approx((words * 2 + 7 * 10) / 1e6)
    assert (reply.tries, reply.finish_reason, reply.error_kind, reply.error) == (1, "stop", None, None)
    assert 0 < reply.latency < 10
    assert (sent["model"], sent["temperature"], sent["max_tokens"], sent["seed"]) == ("m", 1.0, 4096, 0)
    assert sent["messages"] == question().messages()


@pytest.mark.parametrize(
    "more",
    [
        {"extra": {"cache_prompt": False, "top_k": 5}, "structured": "none", "send_seed": False},
        {"structured": "json_object", "extra": {"logit_bias": {50256: -100}}},
        {"model": "hosted_vllm/openai/gpt-oss", "max_chars": 60, "max_tokens": 7},
    ],
)
async def test_both_clients_send_the_same(more: dict[str, Any]) -> None:
    with Loopback() as server:
        for client in CLIENTS:
            for request in (question(3), answer()):
                await ask(server, request, client=client, **more)
        ours, theirs = server.bodies[:2], server.bodies[2:]
    assert ours == theirs
    sent = ours[0]
    assert ("seed" in sent, "response_format" in sent) == (
        more.get("send_seed", True),
        more.get("structured") != "none",
    )
    assert sent["max_tokens"] == more.get("max_tokens", 4096)


async def test_the_schema_arrives_strict(client: Client) -> None:
    with Loopback() as server:
        await ask(server, answer(), client=client)
        sent = server.bodies[0]["response_format"]
    schema = {
        "type": "object",
        "properties": {"answer": {"type": "string", "enum": ["YES", "NO", "UNKNOWN"]}},
        "required": ["answer"],
        "additionalProperties": False,
    }
    assert sent == {"type": "json_schema", "json_schema": {"name": "AnswerReply", "schema": schema, "strict": True}}


@pytest.mark.parametrize(
    ("order", "kind", "requests"),
    [
        ({"status": 400}, ErrorKind.BAD_REQUEST, 1),
        ({"status": 401}, ErrorKind.AUTH, 1),
        ({"status": 402}, ErrorKind.AUTH, 1),
        ({"status": 403}, ErrorKind.AUTH, 1),
        ({"status": 404}, ErrorKind.AUTH, 1),
        ({"status": 408}, ErrorKind.TIMEOUT, 3),
        ({"status": 418}, ErrorKind.BAD_REQUEST, 1),
        ({"status": 422}, ErrorKind.BAD_REQUEST, 1),
        ({"status": 422, "message": "the context window is small"}, ErrorKind.CONTEXT, 1),
        ({"status": 429, "retry_after": "0"}, ErrorKind.RATE, 3),
        ({"status": 500}, ErrorKind.SERVER, 3),
        ({"status": 503, "retry_after": "0"}, ErrorKind.SERVER, 3),
        ({"trouble": Trouble.CONTEXT}, ErrorKind.CONTEXT, 1),
        ({"trouble": Trouble.FILTER}, ErrorKind.FILTERED, 1),
        ({"trouble": Trouble.DROP}, ErrorKind.CONNECTION, 3),
        ({"trouble": Trouble.RUBBISH}, None, 1),
        ({"trouble": Trouble.SCHEMA}, None, 1),
        ({"trouble": Trouble.EMPTY}, None, 1),
        ({"trouble": Trouble.CUT_OFF}, None, 1),
    ],
)
@pytest.mark.usefixtures("hasty")
async def test_trouble_is_the_same_row_through_both(
    order: dict[str, Any], kind: ErrorKind | None, requests: int
) -> None:
    price = Price(input=1, output=2)
    with Loopback() as server:
        server.misbehave(**{"trouble": Trouble.STATUS, **order})
        ours, theirs = [await ask(server, client=client, price=price) for client in CLIENTS]
        vllm = await ask(server, client=Client.LITELLM, price=price, model="hosted_vllm/m")
        assert server.total == 3 * requests
    own_words = {"latency"} | ({"error"} if kind is ErrorKind.CONNECTION else set())
    assert ours.model_dump(exclude=own_words) == theirs.model_dump(exclude=own_words)
    assert (vllm.error_kind, vllm.tries, vllm.text) == (ours.error_kind, ours.tries, ours.text)
    assert own_words > {"latency"} or (vllm.error or "").replace("hosted_vllm/", "openai/") == (ours.error or "")
    assert (ours.error_kind, ours.tries, ours.text is None) == (kind, requests, kind is not None)
    if kind:
        assert ours.error
        assert ours.error.startswith("m: ")
        assert "\n" not in ours.error


@pytest.mark.parametrize("order", [{"status": 500}, {"status": 504}, {"trouble": Trouble.DROP}])
async def test_one_failure_costs_one_try(order: dict[str, Any], client: Client) -> None:
    with Loopback() as server:
        server.misbehave(**{"trouble": Trouble.STATUS, **order}, times=1)
        reply = await ask(server, client=client)
        assert server.total == 2
    assert (reply.tries, reply.error_kind) == (2, None)
    assert reply.text


@pytest.mark.usefixtures("hasty")
async def test_nobody_there_is_a_connection_error(client: Client) -> None:
    reply = await EndpointModel(spec(NOBODY, tries=2, client=client)).complete(question())
    assert (reply.error_kind, reply.tries) == (ErrorKind.CONNECTION, 2)


@pytest.mark.usefixtures("hasty")
async def test_a_slow_endpoint_is_a_timeout_after_all_tries(client: Client) -> None:
    with Loopback() as server:
        await ask(server, client=client)  # LiteLLM loads much when it is first used
    with Loopback(lag=5) as server:
        reply = await ask(server, timeout=1, tries=2, client=client)
        assert server.total == 2
    assert (reply.error_kind, reply.tries, reply.error) == (ErrorKind.TIMEOUT, 2, "m: no reply in 1 s")
    assert 1 <= reply.latency < 5


@pytest.mark.parametrize(("client", "seconds"), [("http", "1"), ("http", "date"), ("litellm", "1")])
async def test_retry_after_is_honoured(client: str, seconds: str) -> None:
    said = format_datetime(datetime.now(UTC) + timedelta(seconds=2), usegmt=True) if seconds == "date" else seconds
    with Loopback() as server:
        server.misbehave(Trouble.STATUS, status=429, retry_after=said, times=1)
        model = EndpointModel(spec(server.url, client=client, model="hosted_vllm/m"))
        began = asyncio.get_running_loop().time()
        reply = await model.complete(question())
        waited = asyncio.get_running_loop().time() - began
    assert reply.tries == 2
    assert 1.0 <= waited < 5.0  # without the header it would be .5 to 1 s


@pytest.mark.parametrize(
    ("status", "said", "seconds"),
    [
        (429, "7", 7.0),
        (503, "0.5", 0.5),
        (429, "-1", 0.0),
        (429, "Wed, 21 Oct 2015 07:28:00 GMT", 0.0),
        (429, "soon", None),
        (429, None, None),
        (500, "7", None),
    ],
)
def test_reading_retry_after(status: int, said: str | None, seconds: float | None) -> None:
    assert retry_after(status, said) == seconds


async def test_the_key_is_sent_and_never_told(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEURESIS_TEST_KEY", KEY)
    with Loopback() as server:
        server.misbehave(Trouble.STATUS, status=401, message=f"Incorrect API key: {KEY}\nsee the manual")
        reply = await ask(server, api_key_env="HEURESIS_TEST_KEY", client=client)
        assert server.endpoint.headers["Authorization"] == f"Bearer {KEY}"
    assert reply.error_kind == ErrorKind.AUTH
    assert reply.error
    assert "Incorrect API key: *** see the manual" in reply.error
    assert KEY not in reply.model_dump_json()


@pytest.mark.parametrize("key", [None, "", "schlüssel", "two\nlines"])
async def test_a_missing_key_is_named_and_nothing_is_sent(
    key: str | None, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HEURESIS_TEST_KEY", raising=False)
    if key is not None:
        monkeypatch.setenv("HEURESIS_TEST_KEY", key)
    with Loopback() as server:
        reply = await ask(server, api_key_env="HEURESIS_TEST_KEY", client=client)
        assert server.total == 0
    assert (reply.error_kind, reply.tries) == (ErrorKind.AUTH, 0)
    assert reply.error == (
        f"m: no key on {socket.gethostname()}, or none in ASCII; set the variable HEURESIS_TEST_KEY there"
    )


async def test_an_endpoint_without_a_key_gets_a_dummy(client: Client) -> None:
    with Loopback() as server:
        await ask(server, client=client)
        assert server.endpoint.headers["Authorization"] == "Bearer none"


async def test_no_more_are_in_flight_than_the_spec_allows(client: Client) -> None:
    with Loopback(lag=0.05) as server:
        model = EndpointModel(spec(server.url, in_flight=4, client=client))
        replies = await asyncio.gather(*[model.complete(question(number)) for number in range(24)])
        assert server.peak == 4
        assert server.total == 24
    assert len({reply.text for reply in replies}) == 24


async def test_a_slot_is_free_while_a_call_backs_off() -> None:
    with Loopback() as server:
        server.misbehave(Trouble.STATUS, status=429, retry_after="1", times=1)
        model = EndpointModel(spec(server.url, in_flight=1))
        first = asyncio.create_task(model.complete(question(1)))
        while not server.total:
            await asyncio.sleep(0.01)
        second = await model.complete(question(2))
        assert (second.tries, first.done()) == (1, False)
        assert (await first).tries == 2


class Watching:
    """A gate that lets everybody through and writes down who came."""

    def __init__(self) -> None:
        self.seen: list[Any] = []

    async def enter(self) -> None:
        self.seen.append("enter")

    def leave(self, kind: ErrorKind | None, retry_after: float | None) -> None:
        self.seen.append((kind, retry_after))


async def test_the_gate_is_passed_at_each_try_and_told_how_it_went() -> None:
    gate = Watching()
    with Loopback(lag=0.05) as server:
        server.misbehave(Trouble.STATUS, status=429, retry_after="0", times=1)
        model = EndpointModel(spec(server.url), gate)
        await model.complete(question())
        assert gate.seen == ["enter", (ErrorKind.RATE, 0.0), "enter", (None, None)]
        task = asyncio.create_task(model.complete(question()))
        await asyncio.sleep(0.02)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert gate.seen[4:] == ["enter", (ErrorKind.LOST, None)]


@pytest.mark.parametrize(("order", "paid"), [({"trouble": Trouble.DROP}, True), ({"status": 500}, False)])
@pytest.mark.usefixtures("hasty")
async def test_each_further_try_is_asked_for(order: dict[str, Any], paid: bool) -> None:
    asked: list[tuple[str, Amount, bool]] = []

    async def again(unit: str, most: Amount, paid: bool) -> None:
        asked.append((unit, most, paid))
        if len(asked) == 2:
            raise BadInput("no more money")

    with Loopback() as server:
        server.misbehave(**{"trouble": Trouble.STATUS, **order})
        model = EndpointModel(spec(server.url), again=again)
        with pytest.raises(BadInput, match="no more money"):
            await model.complete(question())
        assert server.total == 2
    assert asked == [("", model.ceiling(question()), paid)] * 2


def test_the_ceiling_is_bytes_of_the_prompt_and_all_of_the_reply() -> None:
    words = sum(len(message["content"].encode()) for message in question().messages())
    schema = {"type": "object", "properties": {"question": {"type": "string"}}, "required": ["question"]}
    strict = {"name": "QuestionReply", "schema": {**schema, "additionalProperties": False}, "strict": True}
    shape = len(json.dumps({"type": "json_schema", "json_schema": strict}, separators=(",", ":")))
    price = {"input": 2.0, "output": 10.0}
    model = EndpointModel(spec(NOBODY, max_tokens=50, price=price))
    prompt = words + shape + 256
    most = Amount(tokens=prompt + 50, dollars=(prompt * 2 + 500) / 1e6)
    assert model.ceiling(question()) == most
    small = EndpointModel(spec(NOBODY, max_tokens=50, context_tokens=2049)).ceiling(question())
    assert small == Amount(tokens=min(prompt, 2049) + 50, dollars=None)


async def test_the_address_is_asked_for_before_each_try_and_told_when_nobody_is_there(client: Client) -> None:
    lost: list[int] = []
    with Loopback() as server:
        addresses = iter([NOBODY, server.url])

        async def moving() -> str:
            return next(addresses)

        model = EndpointModel(spec(NOBODY, client=client), api_base=moving, lost=lambda: lost.append(1))
        reply = await model.complete(question())
        assert server.total == 1
    assert (reply.tries, reply.error_kind, lost) == (2, None, [1])


async def test_a_server_that_cannot_be_started_is_a_reply_too() -> None:
    async def nowhere() -> str:
        raise UnitFault("it did not start", ErrorKind.CONNECTION)

    reply = await EndpointModel(spec(NOBODY, tries=2), api_base=nowhere).complete(question())
    assert (reply.text, reply.error_kind, reply.tries) == (None, ErrorKind.CONNECTION, 2)
    assert reply.error == "m: it did not start"


CHOICE = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "{}"}}
WHOLE = {"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": [CHOICE]}
USAGE = {"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11}


def thoughtful(content: Any) -> dict[str, Any]:
    return {"choices": [{**CHOICE, "message": {"role": "assistant", "content": content}}], "usage": USAGE}


async def odd(body: bytes, client: Client, status: int = 200, **more: Any) -> Reply:
    async with answering(body, status) as base:
        return await EndpointModel(spec(base, tries=1, client=client, **more)).complete(question())


@pytest.mark.parametrize(
    ("answered", "text", "tokens"),
    [
        ({"timings": {"cache_n": 5}}, "{}", (None, None, 5)),
        ({"usage": USAGE}, "{}", (9, 2, None)),
        ({"usage": {**USAGE, "prompt_tokens_details": {"cached_tokens": 4}}}, "{}", (9, 2, 4)),
        ({"usage": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}}, "{}", (None, None, None)),
        (thoughtful("<think>{hm}</think>\n{}"), "\n{}", (9, 2, None)),
        (thoughtful(None), "", (9, 2, None)),
        (thoughtful("half a character \ud800"), "half a character ?", (9, 2, None)),
    ],
)
async def test_odd_completions(
    answered: dict[str, Any], text: str, tokens: tuple[int | None, ...], client: Client
) -> None:
    got = await odd(json.dumps({**WHOLE, **answered}).encode(), client)
    assert (got.text, got.error_kind) == (text, None)
    assert (got.prompt_tokens, got.completion_tokens, got.cached_tokens) == tokens


@pytest.mark.parametrize("model", ["openai/m", "hosted_vllm/m"])
@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (200, b"<html>hello</html>", ErrorKind.SERVER),
        (200, b"[1]", ErrorKind.SERVER),
        (200, b"{}", ErrorKind.SERVER),
        (200, b'{"choices": []}', ErrorKind.SERVER),
        (200, b'{"choices": [{"message": null}]}', ErrorKind.SERVER),
        (400, b'{"error": {"message": "no", "code": "content_filter"}}', ErrorKind.FILTERED),
        (400, b'{"error": {"message": "no", "code": "content_policy_violation"}}', ErrorKind.FILTERED),
        (400, b'{"error": {"code": 400, "message": "no", "type": "exceed_context_size_error"}}', ErrorKind.CONTEXT),
        (400, b'{"object": "error", "message": "the maximum context length is 9", "code": 400}', ErrorKind.CONTEXT),
        (404, b'{"detail": "Not Found"}', ErrorKind.AUTH),
        (400, b'{"error": "a string"}', ErrorKind.BAD_REQUEST),
        (502, b"bad gateway", ErrorKind.SERVER),
    ],
)
async def test_odd_refusals_are_of_one_kind_through_both(status: int, body: bytes, kind: ErrorKind, model: str) -> None:
    ours, theirs = [await odd(body, client, status, model=model) for client in CLIENTS]
    assert (ours.error_kind, theirs.error_kind) == (kind, kind)
    assert ours.error
    assert theirs.error
    if status != 200 and status != 502:
        assert ours.error == theirs.error
