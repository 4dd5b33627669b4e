"""The loopback endpoint: pure replies, exact counts, trouble as ordered."""

import json
import signal
import subprocess
import sys
from typing import Any

import httpx
import pytest
from loopback import Loopback, LoopbackProcess, Trouble, body_key

from actors.dialogue import AnswerReply, CardReply, QuestionReply, RatingReply
from actors.row import Row

CLIENT = httpx.Client(timeout=10, trust_env=False, limits=httpx.Limits(max_keepalive_connections=0))
KINDS = (QuestionReply, AnswerReply, CardReply, RatingReply)


def body(said: str = "hello", reply: type[Row] | None = QuestionReply, **more: Any) -> dict[str, Any]:
    """A chat request."""
    shape = (
        {"type": "json_schema", "json_schema": {"name": "x", "schema": reply.model_json_schema()}} if reply else None
    )
    return {"model": "m", "messages": [{"role": "user", "content": said}], "response_format": shape, **more}


def send(url: str, request: dict[str, Any]) -> httpx.Response:
    """The response to one request."""
    return CLIENT.post(f"{url}/chat/completions", json=request)


def said(response: httpx.Response) -> str:
    """The text of a reply."""
    return str(response.json()["choices"][0]["message"]["content"])


@pytest.mark.parametrize("kind", KINDS)
def test_every_reply_has_the_shape_that_the_schema_asks_for(kind: type[Row]) -> None:
    with Loopback() as server:
        for number in range(20):
            kind.model_validate_json(said(send(server.url, body(f"paper {number}", kind))))


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        (QuestionReply, 'Reply with JSON: {"question": "<your next question>"}'),
        (AnswerReply, 'Question: a tree?\nReply with JSON: {"answer": "YES"} or {"answer": "NO"}'),
        (CardReply, '{"contribution": "", "approach": "", "components": [""], "novelty": "", "confidence": 0}'),
        (RatingReply, 'Reply with JSON: {"rationale": "<why>", "score": <1 to 10>}'),
    ],
)
def test_without_a_schema_the_instruction_says_the_shape(kind: type[Row], told: str) -> None:
    with Loopback() as server:
        kind.model_validate_json(said(send(server.url, body(told, None))))


def test_a_reply_follows_from_the_request_and_nothing_else() -> None:
    requests = [body(f"paper {number}") for number in range(300)]
    with Loopback() as first:
        texts = [said(send(first.url, request)) for request in requests]
    with Loopback() as second:
        again = [said(send(second.url, request)) for request in reversed(requests)]
        other_seed = said(send(second.url, body("paper 0", seed=7)))
    assert texts == again[::-1]
    assert len(set(texts)) == 300
    assert other_seed != texts[0]
    assert all(json.loads(text)["question"].endswith("?") for text in texts)


def test_answers_are_of_all_three_kinds() -> None:
    with Loopback() as server:
        answers = {json.loads(said(send(server.url, body(f"{n}", AnswerReply))))["answer"] for n in range(40)}
    assert answers == {"YES", "NO", "UNKNOWN"}


def test_requests_are_counted_by_body_and_kept() -> None:
    with Loopback() as server:
        for words in ("a", "a", "b"):
            send(server.url, body(words))
        assert server.total == 3
        assert server.counts == {body_key(body("a")): 2, body_key(body("b")): 1}
        assert [kept["messages"][0]["content"] for kept in server.bodies] == ["a", "a", "b"]


def test_tokens_are_words_and_none_is_cached() -> None:
    with Loopback() as server:
        usage = send(server.url, body("one two three")).json()["usage"]
    assert usage["prompt_tokens"] == 3
    assert usage["completion_tokens"] == 7  # {"question": "Does the method use <word> <number>?"}
    assert usage["prompt_tokens_details"] == {"cached_tokens": 0}


def test_refusals_last_as_many_requests_as_ordered() -> None:
    with Loopback() as server:
        server.misbehave(Trouble.STATUS, status=429, retry_after="3", times=2)
        responses = [send(server.url, body()) for _ in range(3)]
    assert [response.status_code for response in responses] == [429, 429, 200]
    assert responses[0].headers["retry-after"] == "3"


def test_a_fraction_of_bodies_fails_whoever_asks_and_each_once() -> None:
    requests = [body(f"{number}") for number in range(200)]
    failed = []
    for order in (requests, requests[::-1]):
        with Loopback() as server:
            server.misbehave(Trouble.STATUS, status=500, fraction=0.2, each=1)
            failed.append({body_key(request) for request in order if send(server.url, request).status_code == 500})
            assert all(send(server.url, request).status_code == 200 for request in order)
    assert failed[0] == failed[1]
    assert 25 <= len(failed[0]) <= 55


@pytest.mark.parametrize(
    ("trouble", "text", "finish"),
    [
        (Trouble.RUBBISH, "I would rather not say.", "stop"),
        (Trouble.SCHEMA, '{"unexpected": 1}', "stop"),
        (Trouble.EMPTY, "", "stop"),
        (Trouble.FILTER, None, "content_filter"),
    ],
)
def test_bad_contents(trouble: Trouble, text: str | None, finish: str) -> None:
    with Loopback() as server:
        server.misbehave(trouble)
        choice = send(server.url, body()).json()["choices"][0]
    assert (choice["message"]["content"], choice["finish_reason"]) == (text, finish)


def test_a_cut_off_reply_is_the_first_half_of_the_whole() -> None:
    with Loopback() as server:
        whole = said(send(server.url, body()))
        server.misbehave(Trouble.CUT_OFF)
        choice = send(server.url, body()).json()["choices"][0]
    assert choice["finish_reason"] == "length"
    assert choice["message"]["content"] == whole[: len(whole) // 2]


def test_a_dropped_connection_is_counted() -> None:
    with Loopback() as server:
        server.misbehave(Trouble.DROP, times=1)
        with pytest.raises(httpx.RemoteProtocolError):
            send(server.url, body())
        assert send(server.url, body()).status_code == 200
        assert server.total == 2


def test_the_process_outlives_a_killed_client() -> None:
    with LoopbackProcess() as server:
        code = f"while True: httpx.post('{server.url}/chat/completions', json={body()}, trust_env=False)"
        client = subprocess.Popen([sys.executable, "-c", f"import httpx\n{code}"])
        while server.total < 3:
            pass
        client.send_signal(signal.SIGKILL)
        client.wait()
        before = server.total
        server.misbehave(Trouble.STATUS, status=503)
        assert send(server.url, body()).status_code == 503
        server.behave()
        assert send(server.url, body()).status_code == 200
        assert server.total - before in {2, 3}  # the killed client's last request may still have been on its way
        assert set(server.counts) == {body_key(body())}
