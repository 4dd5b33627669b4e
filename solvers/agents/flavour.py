"""The APIs that agents speak to models: what a request may ask for, and what a reply says it cost.

A request keeps what it says but for what the branch's model and budget decide: the model, how long a reply may be, one
choice only. What a provider would do by itself for money or over the network (search, code of its own, other servers,
dearer service) is taken out. Replies are read for their usage, whole or as server-sent events, and never changed.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from actors.chat import extra_of, part
from actors.model import REWRITTEN, Spec, plausible

Json = dict[str, Any]
LOCAL_TOOLS = ("function", "custom", "bash", "text_editor", "computer", "memory", "local_shell", "shell", "apply_patch")
"""Kinds of tools that the agent runs itself; newer ones carry a date after that."""
DEARER = ("service_tier", "speed", "web_search_options", "mcp_servers", "container", "background", "inference_geo")


class Unfit(Exception):
    """A request that cannot be passed on: why, in a line."""


@dataclass
class Heard:
    """What a reply has said so far. Tokens; None is not known."""

    words: list[str] = field(default_factory=list)
    prompt: int | None = None
    completion: int | None = None
    cached: int | None = None
    reason: str | None = None

    def say(self, *words: object) -> None:
        """More of the reply's text."""
        self.words += [word for word in words if isinstance(word, str)]

    def end(self, reason: object) -> None:
        """Why it ended."""
        self.reason = reason if isinstance(reason, str) else self.reason

    def use(self, prompt: object, completion: object, cached: object) -> None:
        """Counts, each where it is said."""
        self.prompt = self.prompt if plausible(prompt) is None else plausible(prompt)
        self.completion = self.completion if plausible(completion) is None else plausible(completion)
        self.cached = self.cached if plausible(cached) is None else plausible(cached)


class Flavour(Protocol):
    """One API. path: below the base of both sides."""

    path: str

    def adapted(self, body: Json, spec: Spec) -> Json:
        """The request as it is passed on; Unfit where it cannot be."""

    def headers(self, key: str, asked: Mapping[str, str]) -> dict[str, str]:
        """What goes with it: the key, and of the agent's own headers what belongs to the API."""

    def whole(self, said: Json, heard: Heard) -> None:
        """Read a reply in one piece."""

    def event(self, said: Json, heard: Heard) -> None:
        """Read one event of a stream."""


def plain(body: Json, spec: Spec) -> Json:
    """What is the same for all: the model, no dearer service, no tools but the agent's own."""
    kept = {key: value for key, value in body.items() if key not in DEARER} | {"model": model_name(spec)}
    tools = kept.get("tools")
    if isinstance(tools, list):
        kept["tools"] = [tool for tool in tools if isinstance(tool, dict) and runs_here(tool)]
        if not kept["tools"]:
            kept = {key: value for key, value in kept.items() if key not in ("tools", "tool_choice")}
    return kept


def runs_here(tool: Json) -> bool:
    """Whether the agent, not the provider, runs a tool."""
    kind = tool.get("type", "function")
    return isinstance(kind, str) and kind.rstrip("0123456789").rstrip("_") in LOCAL_TOOLS


def model_name(spec: Spec) -> str:
    """What the endpoint calls it."""
    return spec.model.partition("/")[2] or spec.model


def clamped(body: Json, name: str, spec: Spec) -> int:
    """The most tokens that a reply may have."""
    asked = body.get(name)
    if asked is None:
        return spec.max_tokens
    if type(asked) is not int or asked < 1:
        raise Unfit(f"{name} must be a whole number above 0")
    return min(asked, spec.max_tokens)


def pieces(value: Any) -> list[Json]:
    """The objects in a list, where it is one."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


class ChatCompletions:
    """OpenAI's chat completions, which nearly every server speaks."""

    path = "/chat/completions"

    def adapted(self, body: Json, spec: Spec) -> Json:
        """See `Flavour`. The spec's ``extra`` goes with it, as with every request of ours."""
        asked = "max_completion_tokens" if "max_completion_tokens" in body else "max_tokens"
        most = clamped(body, asked, spec)
        dropped = ("max_tokens", "max_completion_tokens", "n", "best_of")
        kept = {key: value for key, value in plain(body, spec).items() if key not in dropped}
        name = "max_completion_tokens" if REWRITTEN.match(spec.model) else "max_tokens"
        if kept.get("stream"):
            kept["stream_options"] = {**part(kept.get("stream_options")), "include_usage": True}
        return {**kept, **extra_of(spec), name: most}

    def headers(self, key: str, asked: Mapping[str, str]) -> dict[str, str]:
        """See `Flavour`."""
        return {"Authorization": f"Bearer {key}"}

    def whole(self, said: Json, heard: Heard) -> None:
        """See `Flavour`."""
        for choice in pieces(said.get("choices")):
            message = part(choice.get("message")) or part(choice.get("delta"))
            heard.say(message.get("content"))
            for call in pieces(message.get("tool_calls")):
                function = part(call.get("function"))
                heard.say(function.get("name"), function.get("arguments"))
            heard.end(choice.get("finish_reason"))
        usage = part(said.get("usage"))
        details = part(usage.get("prompt_tokens_details"))
        heard.use(usage.get("prompt_tokens"), usage.get("completion_tokens"), details.get("cached_tokens"))

    event = whole


class Responses:
    """OpenAI's responses."""

    path = "/responses"

    def adapted(self, body: Json, spec: Spec) -> Json:
        """See `Flavour`."""
        return {**plain(body, spec), "max_output_tokens": clamped(body, "max_output_tokens", spec)}

    def headers(self, key: str, asked: Mapping[str, str]) -> dict[str, str]:
        """See `Flavour`."""
        return {"Authorization": f"Bearer {key}"}

    def whole(self, said: Json, heard: Heard) -> None:
        """See `Flavour`."""
        for item in pieces(said.get("output")):
            heard.say(item.get("name"), item.get("arguments"), item.get("input"))
            heard.say(*(one.get("text") for one in pieces(item.get("content"))))
        heard.end(said.get("status"))
        usage = part(said.get("usage"))
        details = part(usage.get("input_tokens_details"))
        heard.use(usage.get("input_tokens"), usage.get("output_tokens"), details.get("cached_tokens"))

    def event(self, said: Json, heard: Heard) -> None:
        """See `Flavour`. The last event brings the whole reply once more."""
        if said.get("type") in ("response.completed", "response.incomplete", "response.failed"):
            self.whole(part(said.get("response")), heard)


class Messages:
    """Anthropic's messages."""

    path = "/messages"

    def adapted(self, body: Json, spec: Spec) -> Json:
        """See `Flavour`."""
        return {**plain(body, spec), "max_tokens": clamped(body, "max_tokens", spec)}

    def headers(self, key: str, asked: Mapping[str, str]) -> dict[str, str]:
        """See `Flavour`."""
        own = {name: asked[name] for name in ("anthropic-version", "anthropic-beta") if name in asked}
        return {"anthropic-version": "2023-06-01", **own, "x-api-key": key}

    def whole(self, said: Json, heard: Heard) -> None:
        """See `Flavour`."""
        for block in pieces(said.get("content")):
            heard.say(block.get("text"), block.get("name"))
            if "input" in block:
                heard.say(str(block["input"]))
        heard.end(said.get("stop_reason"))
        self._use(part(said.get("usage")), heard)

    def event(self, said: Json, heard: Heard) -> None:
        """See `Flavour`."""
        match said.get("type"):
            case "message_start":
                self._use(part(part(said.get("message")).get("usage")), heard)
            case "content_block_start":
                heard.say(part(said.get("content_block")).get("name"))
            case "content_block_delta":
                delta = part(said.get("delta"))
                heard.say(delta.get("text"), delta.get("partial_json"))
            case "message_delta":
                heard.end(part(said.get("delta")).get("stop_reason"))
                self._use(part(said.get("usage")), heard)

    def _use(self, usage: Json, heard: Heard) -> None:
        """What was read from a cache, or written to one, is prompt as well."""
        parts = [plausible(usage.get(f"{name}input_tokens")) for name in ("", "cache_creation_", "cache_read_")]
        prompt = None if parts[0] is None else sum(one or 0 for one in parts)
        heard.use(prompt, usage.get("output_tokens"), parts[2])


FLAVOURS: tuple[Flavour, ...] = (ChatCompletions(), Responses(), Messages())


def flavour_of(path: str) -> Flavour | None:
    """The API of a path, with or without /v1 before it."""
    return next((flavour for flavour in FLAVOURS if path.removeprefix("/v1") == flavour.path), None)
