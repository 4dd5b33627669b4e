"""The gateway to models, against a loopback endpoint: what a reply holds, what is tried again, what an error says."""

import asyncio
import json
import logging
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from aiohttp import web
from loopback import Loopback, Trouble

from actors.dialogue import AnswerReply, CardReply, QuestionReply, RatingReply, Turn, answer_view, question_view
from actors.endpoint_error import retry_after
from actors.errors import ErrorKind, UnitFault
from actors.litellm_model import LiteLLMModel, cost, strict_schema
from actors.model import Price, Reply, Spec
from actors.paper import Problem, Solution
from actors.prompt import Request
from actors.row import Row

PROBLEM = Problem(domain="codecs", goal="small files", challenge="slow decoders", gap="no table does it")
SOLUTION = Solution(contribution="a table", approach="a tree", components=("tests", "leaves"), novelty="no products")
KEY = "sk-very-secret-0123456789"


def question(number: int = 0, history: tuple[Turn, ...] = ()) -> Request:
    return Request("question", question_view(PROBLEM, None, history, "", None), QuestionReply, 1.0, number)


def answer(said: str = "A tree?") -> Request:
    return Request("answer", answer_view(SOLUTION, "We use a table.", "It is small.", said), AnswerReply, 0.0)


def spec(server: Loopback | None = None, **more: Any) -> Spec:
    base: dict[str, Any] = {"name": "m", "family": "test", "model": "openai/m", "tries": 3, "send_seed": True}
    return Spec(**{**base, "api_base": server and server.url, **more})


async def ask(server: Loopback, request: Request | None = None, **more: Any) -> Reply:
    return await LiteLLMModel(spec(server, **more)).complete(request or question())


async def test_a_reply_holds_text_tokens_and_cost() -> None:
    with Loopback() as server:
        reply = await ask(server, price=Price(input=2.0, output=10.0))
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


async def test_what_is_sent_follows_the_spec() -> None:
    with Loopback() as server:
        extra = {"cache_prompt": False, "top_k": 5}
        await ask(server, extra=extra, structured="none", send_seed=False, max_tokens=7)
        await ask(server, structured="json_object")
        first, second = server.bodies
    assert (first["cache_prompt"], first["top_k"], first["max_tokens"]) == (False, 5, 7)
    assert not {"seed", "response_format"} & set(first)
    assert second["response_format"] == {"type": "json_object"}


async def test_the_schema_arrives_strict() -> None:
    with Loopback() as server:
        await ask(server, answer())
        sent = server.bodies[0]["response_format"]
    schema = {
        "type": "object",
        "properties": {"answer": {"type": "string", "enum": ["YES", "NO", "UNKNOWN"]}},
        "required": ["answer"],
        "additionalProperties": False,
    }
    assert sent == {"type": "json_schema", "json_schema": {"name": "AnswerReply", "schema": schema, "strict": True}}


@pytest.mark.parametrize(("reply", "strings"), [(QuestionReply, 1), (CardReply, 4), (RatingReply, 1), (AnswerReply, 0)])
def test_max_chars_bounds_every_string_and_no_enum(reply: type[Row], strings: int) -> None:
    bounded, free = json.dumps(strict_schema(reply, 90)), json.dumps(strict_schema(reply, None))
    assert bounded.count('"maxLength": 90') == strings
    assert "Length" not in free
    assert not any(word in bounded + free for word in ('"title"', '"description"', "$ref", "$defs"))


def test_a_tighter_bound_of_the_reply_itself_is_kept() -> None:
    assert strict_schema(QuestionReply, 9999)["properties"]["question"]["maxLength"] == 2000


@pytest.mark.parametrize(
    ("order", "kind", "requests"),
    [
        ({"status": 400}, ErrorKind.BAD_REQUEST, 1),
        ({"status": 401}, ErrorKind.AUTH, 1),
        ({"status": 402}, ErrorKind.AUTH, 1),
        ({"status": 403}, ErrorKind.AUTH, 1),
        ({"status": 404}, ErrorKind.AUTH, 1),
        ({"status": 422}, ErrorKind.BAD_REQUEST, 1),
        ({"status": 429, "retry_after": "0"}, ErrorKind.RATE, 3),
        ({"status": 503, "retry_after": "0"}, ErrorKind.SERVER, 3),
        ({"trouble": Trouble.CONTEXT}, ErrorKind.CONTEXT, 1),
        ({"trouble": Trouble.FILTER}, ErrorKind.FILTERED, 1),
    ],
)
async def test_trouble_becomes_a_reply_of_its_kind(order: dict[str, Any], kind: ErrorKind, requests: int) -> None:
    with Loopback() as server:
        server.misbehave(**{"trouble": Trouble.STATUS, **order})
        reply = await ask(server)
        assert server.total == requests
    assert (reply.text, reply.error_kind, reply.tries) == (None, kind, requests)
    assert reply.error
    assert reply.error.startswith("m: ")
    assert "\n" not in reply.error


@pytest.mark.parametrize("order", [{"status": 500}, {"status": 502}, {"status": 504}, {"trouble": Trouble.DROP}])
async def test_one_failure_costs_one_try(order: dict[str, Any]) -> None:
    with Loopback() as server:
        server.misbehave(**{"trouble": Trouble.STATUS, **order}, times=1)
        reply = await ask(server)
        assert server.total == 2
    assert (reply.tries, reply.error_kind) == (2, None)
    assert reply.text


async def test_five_hundreds_and_lost_connections_end_as_themselves() -> None:
    with Loopback() as server:
        server.misbehave(Trouble.STATUS, status=500, times=2)
        server.misbehave(Trouble.DROP, times=2)
        kinds = [(await ask(server, tries=2)).error_kind for _ in range(2)]
    assert kinds == [ErrorKind.SERVER, ErrorKind.CONNECTION]


async def test_nobody_there_is_a_connection_error() -> None:
    reply = await LiteLLMModel(spec(api_base="http://127.0.0.1:9/v1", tries=2)).complete(question())
    assert (reply.error_kind, reply.tries) == (ErrorKind.CONNECTION, 2)


async def test_a_slow_endpoint_is_a_timeout_after_all_tries() -> None:
    with Loopback(lag=5) as server:
        reply = await ask(server, timeout=0.2, tries=2)
        assert server.total == 2
    assert (reply.error_kind, reply.tries) == (ErrorKind.TIMEOUT, 2)
    assert 0.2 <= reply.latency < 1.5


@pytest.mark.parametrize("seconds", ["1", "date"])
async def test_retry_after_is_honoured(seconds: str) -> None:
    said = format_datetime(datetime.now(UTC) + timedelta(seconds=3), usegmt=True) if seconds == "date" else seconds
    with Loopback() as server:
        server.misbehave(Trouble.STATUS, status=429, retry_after=said, times=1)
        model = LiteLLMModel(spec(server))
        began = asyncio.get_running_loop().time()
        reply = await model.complete(question())
        waited = asyncio.get_running_loop().time() - began
    assert reply.tries == 2
    assert 1.0 <= waited < 6.0  # without the header it would be .5 to 1 s


class Refusal(Exception):
    """As an endpoint's refusal looks to `retry_after`."""

    def __init__(self, status: int, said: str | None) -> None:
        super().__init__()
        self.status_code = status
        self.response = type("Response", (), {"headers": {} if said is None else {"retry-after": said}})


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
    assert retry_after(Refusal(status, said)) == seconds


@pytest.mark.parametrize("own", [True, False])
async def test_the_key_is_sent_and_never_told(own: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEURESIS_TEST_KEY" if own else "OPENAI_API_KEY", KEY)
    with Loopback() as server:
        server.misbehave(Trouble.STATUS, status=401, message=f"Incorrect API key: {KEY}\nsee the manual")
        if own:
            reply = await ask(server, api_key_env="HEURESIS_TEST_KEY")
        else:
            monkeypatch.setenv("OPENAI_BASE_URL", server.url)
            reply = await ask(server, api_base=None)
        assert server.endpoint.headers["Authorization"] == f"Bearer {KEY}"
    assert reply.error_kind == ErrorKind.AUTH
    assert reply.error
    assert "Incorrect API key: *** see the manual" in reply.error
    assert KEY not in reply.model_dump_json()


async def test_a_missing_key_is_named_and_nothing_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HEURESIS_TEST_KEY", raising=False)
    with Loopback() as server:
        reply = await ask(server, api_key_env="HEURESIS_TEST_KEY")
        assert server.total == 0
    assert (reply.error_kind, reply.tries) == (ErrorKind.AUTH, 0)
    assert reply.error == "m: no key, or none in ASCII; set the variable HEURESIS_TEST_KEY"


async def test_an_endpoint_without_a_key_gets_a_dummy() -> None:
    with Loopback() as server:
        await ask(server)
        assert server.endpoint.headers["Authorization"] == "Bearer none"


async def test_bad_texts_are_left_to_the_caller() -> None:
    with Loopback() as server:
        for trouble in (Trouble.CUT_OFF, Trouble.EMPTY, Trouble.RUBBISH):
            server.misbehave(trouble, times=1)
        replies = [await ask(server) for _ in range(3)]
        assert server.total == 3
    assert [reply.finish_reason for reply in replies] == ["length", "stop", "stop"]
    assert replies[0].text
    assert [reply.text for reply in replies[1:]] == ["", "I would rather not say."]


async def test_no_more_are_in_flight_than_the_spec_allows() -> None:
    with Loopback(lag=0.05) as server:
        model = LiteLLMModel(spec(server, in_flight=4))
        replies = await asyncio.gather(*[model.complete(question(number)) for number in range(24)])
        assert server.peak == 4
        assert server.total == 24
    assert len({reply.text for reply in replies}) == 24


async def test_the_address_is_asked_for_before_each_try_and_told_when_nobody_is_there() -> None:
    lost: list[int] = []
    with Loopback() as server:
        addresses = iter(["http://127.0.0.1:9/v1", server.url])

        async def moving() -> str:
            return next(addresses)

        reply = await LiteLLMModel(spec(), moving, lambda: lost.append(1)).complete(question())
        assert server.total == 1
    assert (reply.tries, reply.error_kind, lost) == (2, None, [1])


async def test_a_server_that_cannot_be_started_is_a_reply_too() -> None:
    async def nowhere() -> str:
        raise UnitFault("it did not start", ErrorKind.CONNECTION)

    reply = await LiteLLMModel(spec(tries=2), nowhere).complete(question())
    assert (reply.text, reply.error_kind, reply.tries) == (None, ErrorKind.CONNECTION, 2)
    assert reply.error == "m: it did not start"


@pytest.mark.parametrize(
    ("answered", "cached", "kind"),
    [
        ({"timings": {"cache_n": 5}}, 5, None),
        ({"usage": {"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11}}, None, None),
        ({"choices": []}, None, ErrorKind.SERVER),
    ],
)
async def test_odd_endpoints(answered: dict[str, Any], cached: int | None, kind: ErrorKind | None) -> None:
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "{}"}}

    async def reply(_: web.Request) -> web.Response:
        whole = {"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice], **answered}
        return web.json_response(whole)

    app = web.Application()
    app.router.add_post("/v1/chat/completions", reply)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        base = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        got = await LiteLLMModel(spec(api_base=base, tries=1)).complete(question())
    finally:
        await runner.cleanup()
    assert (got.cached_tokens, got.error_kind) == (cached, kind)


@pytest.mark.parametrize(
    ("price", "counts", "dollars"),
    [
        (Price(input=1, cached=0.1, output=4), (100, 10, 60), (40 + 6 + 40) / 1e6),
        (Price(input=1, output=4), (100, 10, 60), (100 + 40) / 1e6),
        (Price(input=1, cached=0.1, output=4), (100, 10, None), (100 + 40) / 1e6),
        (Price(input=1), (100, 10, 0), None),
        (Price(output=1), (100, 10, 0), None),
        (Price(input=0, output=0), (100, 10, 0), 0.0),
        (Price(input=1, output=4), (None, 10, None), None),
        (Price(input=1, output=4), (100, None, None), None),
    ],
)
def test_cost(price: Price, counts: tuple[int | None, int | None, int | None], dollars: float | None) -> None:
    expected = None if dollars is None else pytest.approx(dollars)
    assert cost(price, *counts) == expected


def test_importing_the_module_does_not_import_litellm() -> None:
    code = "import sys, actors.litellm_model; sys.exit('litellm' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


async def test_it_is_offline_and_quiet(capfd: pytest.CaptureFixture[str]) -> None:
    with Loopback() as server:
        server.misbehave(Trouble.STATUS, status=400, times=1)
        await ask(server)
    assert capfd.readouterr() == ("", "")
    assert os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] == "True"
    assert logging.getLogger("LiteLLM").level == logging.CRITICAL
