"""A loopback server that speaks three model APIs, whole and as events, in shapes as their providers document them."""

import asyncio
import json
from typing import Any, Self

from aiohttp import web

Json = dict[str, Any]


def chat(stream: bool) -> list[Json]:
    """OpenAI's chat completions: 11 tokens in, 3 of them cached, 5 out."""
    usage = {"prompt_tokens": 11, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 3}}
    call = {"index": 0, "id": "c1", "type": "function", "function": {"name": "run", "arguments": '{"a":1}'}}
    if not stream:
        message = {"role": "assistant", "content": "Hello", "tool_calls": [call]}
        return [{"choices": [{"index": 0, "finish_reason": "tool_calls", "message": message}], "usage": usage}]
    deltas: list[Json] = [{"content": "Hel"}, {"content": "lo"}, {"tool_calls": [call]}, {}]
    events: list[Json] = [
        {"choices": [{"index": 0, "delta": delta, "finish_reason": None if delta else "tool_calls"}], "usage": None}
        for delta in deltas
    ]
    return [*events, {"choices": [], "usage": usage}]


def responses(stream: bool) -> list[Json]:
    """OpenAI's responses: the same counts."""
    usage = {"input_tokens": 11, "output_tokens": 5, "input_tokens_details": {"cached_tokens": 3}}
    output = [
        {"type": "message", "content": [{"type": "output_text", "text": "Hello"}]},
        {"type": "function_call", "name": "run", "arguments": '{"a":1}'},
    ]
    whole = {"id": "r1", "status": "completed", "output": output, "usage": usage}
    if not stream:
        return [whole]
    begun = {"type": "response.created", "response": {"id": "r1", "status": "in_progress", "output": []}}
    delta = {"type": "response.output_text.delta", "delta": "Hello"}
    return [begun, delta, {"type": "response.completed", "response": whole}]


def messages(stream: bool) -> list[Json]:
    """Anthropic's messages: 6 tokens in, 3 read from a cache, 2 written to one, 5 out."""
    usage = {"input_tokens": 6, "cache_read_input_tokens": 3, "cache_creation_input_tokens": 2, "output_tokens": 5}
    content = [{"type": "text", "text": "Hello"}, {"type": "tool_use", "id": "t1", "name": "run", "input": {"a": 1}}]
    if not stream:
        return [{"type": "message", "content": content, "stop_reason": "tool_use", "usage": usage}]
    return [
        {"type": "message_start", "message": {"content": [], "usage": {**usage, "output_tokens": 1}}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hello"}},
        {"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "name": "run", "input": {}}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": '{"a":1}'}},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 5}},
        {"type": "message_stop"},
    ]


SAYS = {"/v1/chat/completions": chat, "/v1/responses": responses, "/v1/messages": messages}


class ModelApis:
    """The server, in this event loop. cut: break a stream off after so many events. lag, pause: seconds."""

    def __init__(self) -> None:
        self.bodies: list[Json] = []
        self.headers: list[dict[str, str]] = []
        self.in_flight = self.peak = 0
        self.cut: int | None = None
        self.refusal: tuple[int, str] | None = None
        self.lag = self.pause = 0.0
        self.sent = b""

    async def __aenter__(self) -> Self:
        self._runner = web.ServerRunner(web.Server(self._answer), shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}/v1"
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._runner.cleanup()

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        self.in_flight += 1
        self.peak = max(self.peak, self.in_flight)
        try:
            body = json.loads(await request.content.read())
            self.bodies.append(body)
            self.headers.append({name.lower(): value for name, value in request.headers.items()})
            await asyncio.sleep(self.lag)
            return await self._said(request, body)
        finally:
            self.in_flight -= 1

    async def _said(self, request: web.BaseRequest, body: Json) -> web.StreamResponse:
        if self.refusal is not None:
            status, message = self.refusal
            return web.json_response({"error": {"message": message}}, status=status, headers={"Retry-After": "7"})
        events = SAYS[request.path](bool(body.get("stream")))
        if not body.get("stream"):
            self.sent = json.dumps(events[0]).encode()
            return web.Response(body=self.sent, content_type="application/json")
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream; charset=utf-8"})
        await response.prepare(request)
        self.sent = b""
        for event in events[: self.cut]:
            name = f"event: {event['type']}\n" if "type" in event else ""
            said = f"{name}data: {json.dumps(event)}\n\n".encode()
            self.sent += said
            await response.write(said[:20])  # events may be split anywhere
            await asyncio.sleep(self.pause)
            await response.write(said[20:])
        if self.cut is not None and request.transport is not None:
            request.transport.close()
        return response
