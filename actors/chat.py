"""OpenAI's chat format, which every endpoint speaks: what is asked for, and how an answer is read."""

import json
import re
from typing import Any

import orjson

from actors.endpoint_error import details
from actors.errors import ErrorKind
from actors.model import Price, Reply, Spec, plausible
from actors.row import Row

UNSUPPORTED = {"title", "description", "default"}
LENGTHS = {"minLength", "maxLength"}
THOUGHT = re.compile(r"<(?:think|thinking|budget:thinking)>.*?</(?:think|thinking|budget:thinking)>", re.DOTALL)


def extra_of(spec: Spec) -> dict[str, Any]:
    """The spec's additions to the body, with names as JSON has them: YAML's may be numbers."""
    extra: dict[str, Any] = json.loads(json.dumps(spec.extra))
    return extra


def parsed(said: bytes | str) -> Any:
    """JSON, or else the text that it is."""
    try:
        return orjson.loads(said)
    except orjson.JSONDecodeError:
        pass
    text = said.decode("utf-8", "replace") if isinstance(said, bytes) else said
    try:
        return json.loads(text)  # half characters and NaN, which orjson refuses
    except (ValueError, RecursionError):
        return text


def response_format(spec: Spec, reply: type[Row] | None) -> dict[str, Any] | None:
    """How the endpoint is told the shape of its reply; None is not at all, as for plain text."""
    if reply is None:
        return None
    if spec.structured == "json_schema":
        schema = strict_schema(reply, spec.max_chars)
        return {"type": "json_schema", "json_schema": {"name": reply.__name__, "schema": schema, "strict": True}}
    return {"type": "json_object"} if spec.structured == "json_object" else None


def strict_schema(reply: type[Row], max_chars: int | None) -> dict[str, Any]:
    """The JSON schema of ``reply`` as strict endpoints want it: definitions inlined, every property required.

    Our own titles and docstrings are left out: what a model reads stands in the templates. Lengths of strings are
    left out too, as strict endpoints refuse them, unless ``max_chars`` bounds every string (llama.cpp, vLLM).
    """
    schema = reply.model_json_schema()
    definitions = schema.pop("$defs", {})

    def tidy(node: Any) -> Any:
        if isinstance(node, list):
            return [tidy(item) for item in node]
        if not isinstance(node, dict):
            return node
        if "$ref" in node:
            return tidy(definitions[node["$ref"].rsplit("/", 1)[1]])
        dropped = UNSUPPORTED if max_chars else UNSUPPORTED | LENGTHS
        kept = {key: tidy(value) for key, value in node.items() if key not in dropped | {"properties"}}
        if "properties" in node:
            kept["properties"] = {name: tidy(value) for name, value in node["properties"].items()}
            kept |= {"required": list(node["properties"]), "additionalProperties": False}
        if max_chars and node.get("type") == "string" and "enum" not in node:
            kept["maxLength"] = min(node.get("maxLength", max_chars), max_chars)
        return kept

    strict: dict[str, Any] = tidy(schema)
    return strict


def reply_of(spec: Spec, completion: dict[str, Any], latency: float) -> Reply:
    """A completion, as JSON says it, as a row; one that is of no use has its tokens and cost, and no text."""
    choices = completion.get("choices")
    choice = part(choices[0]) if isinstance(choices, list) and choices else {}
    reason = choice.get("finish_reason")
    usage = part(completion.get("usage"))
    prompt, answered = plausible(usage.get("prompt_tokens")), plausible(usage.get("completion_tokens"))
    if not prompt:  # LiteLLM's zeros where the endpoint does not say: no prompt has no token
        prompt = answered = None
    cached = plausible(part(usage.get("prompt_tokens_details")).get("cached_tokens"))
    if cached is None:
        cached = plausible(part(completion.get("timings")).get("cache_n"))  # llama.cpp
    text, kind, error = text_of(choice, completion)
    return Reply(
        text=text,
        prompt_tokens=prompt,
        completion_tokens=answered,
        cached_tokens=cached,
        cost=cost(spec.price, prompt, answered, cached),
        latency=latency,
        finish_reason=reason if isinstance(reason, str) else None,
        error_kind=kind,
        error=error and f"{spec.name}: {error}",
    )


def text_of(choice: dict[str, Any], completion: dict[str, Any]) -> tuple[str | None, ErrorKind | None, str | None]:
    """The text that a choice holds, thoughts at its beginning left out; or None, and what is wrong."""
    if choice.get("finish_reason") == "content_filter":
        return None, ErrorKind.FILTERED, "a safety filter held the reply back"
    message = choice.get("message")
    if not isinstance(message, dict):
        said = f": {details(completion)[0]}" if "error" in completion else ""
        return None, ErrorKind.SERVER, f"the reply holds no choice{said}"
    content = message.get("content") or ""
    if not isinstance(content, str):
        return None, ErrorKind.SERVER, "the reply's content is not text"
    thought = THOUGHT.match(content)
    return content[thought.end() :] if thought else content, None, None


def part(value: Any) -> dict[str, Any]:
    """A part of a completion that should be an object; an empty one where it is not."""
    return value if isinstance(value, dict) else {}


def cost(price: Price, prompt: int | None, completion: int | None, cached: int | None) -> float | None:
    """US dollars, None where a price or a count that it needs is unknown.

    Cached tokens without a price of their own, or not told apart by the endpoint, cost as much as any input.
    """
    if price.input is None or price.output is None or prompt is None or completion is None:
        return None
    reused = cached or 0
    at_cache = price.input if price.cached is None else price.cached
    return ((prompt - reused) * price.input + reused * at_cache + completion * price.output) / 1e6
