"""A model at the other end of LiteLLM: one request in, one `Reply` out, trouble included.

The only module that imports litellm (4 s, 200 MB), and only when the first model is made. LiteLLM's own retries are
off; the tries here honour Retry-After, back off with jitter, and are counted. One event loop per process. What is
guarded: requests in flight per model, time per try, keys in error texts. What is not: rates over several processes.
"""

import asyncio
import copy
import logging
import os
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from tenacity import (
    AsyncRetrying,
    RetryCallState,
    retry_if_result,
    stop_after_attempt,
    wait_exponential,
    wait_random_exponential,
)

from actors.endpoint_error import kind_of, one_line, retry_after
from actors.errors import ErrorKind, UnitFault
from actors.model import Price, Reply, Spec
from actors.prompt import Request
from actors.row import Row

TRANSIENT = {ErrorKind.TIMEOUT, ErrorKind.CONNECTION, ErrorKind.RATE, ErrorKind.SERVER}
LONGEST_WAIT = 60.0
"""Seconds that a back-off may grow to, and that a Retry-After is believed."""

UNSUPPORTED = {"title", "description", "default"}
LENGTHS = {"minLength", "maxLength"}


@cache
def load() -> tuple[Any, type[Exception]]:
    """litellm, offline and silent, and the ancestor of all that it raises for the endpoint."""
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    import litellm
    import openai

    litellm.telemetry = False
    litellm.suppress_debug_info = True
    litellm.num_retries = 0
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    return litellm, openai.OpenAIError


@dataclass(frozen=True)
class Outcome:
    """What one try brought, and how long the endpoint wants to be left alone, in seconds."""

    reply: Reply
    pause: float | None = None

    @property
    def again(self) -> bool:
        """Whether another try may help."""
        return self.reply.error_kind in TRANSIENT


class LiteLLMModel:
    """A `Model` over ``litellm.acompletion``.

    api_base: awaited before each try, for a server that may have moved; else ``spec.api_base``.
    lost: told after each try that found nobody there, so that ``api_base`` looks anew.
    """

    def __init__(
        self,
        spec: Spec,
        api_base: Callable[[], Awaitable[str]] | None = None,
        lost: Callable[[], None] | None = None,
    ) -> None:
        self.spec = spec
        self._api_base = api_base
        self._lost = lost
        self._gate = asyncio.Semaphore(spec.in_flight)
        self._litellm, self._errors = load()
        self._retrying = AsyncRetrying(
            stop=stop_after_attempt(spec.tries),
            wait=pause,
            retry=retry_if_result(lambda outcome: outcome.again),
            retry_error_callback=lambda state: state.outcome and state.outcome.result(),
        )

    async def complete(self, request: Request) -> Reply:
        """One reply, after up to ``spec.tries`` HTTP requests; a slot is kept while it backs off."""
        key = self._key()
        if key is None:
            missing = f"{self.spec.name}: no key, or none in ASCII; set the variable {self.spec.api_key_env}"
            return Reply(text=None, latency=0.0, tries=0, error_kind=ErrorKind.AUTH, error=missing)
        call = arguments(self.spec, request)
        tries = 0

        async def once() -> Outcome:
            nonlocal tries
            tries += 1
            return await self._try(call, key)

        async with self._gate:
            outcome: Outcome = await self._retrying.copy()(once)
        return outcome.reply.model_copy(update={"tries": tries})

    def _key(self) -> str | None:
        """The key to send; empty leaves it to LiteLLM's usual variables, None is one that should be set and is not."""
        if self.spec.api_key_env:
            key = os.environ.get(self.spec.api_key_env, "").strip()
            return key if key and key.isascii() else None
        return "none" if self._api_base or self.spec.api_base else ""

    async def _try(self, call: dict[str, Any], key: str) -> Outcome:
        """One HTTP request; LiteLLM may change what it is given, so it gets a copy."""
        sent = copy.deepcopy(call)
        began = time.perf_counter()
        try:
            base = await self._api_base() if self._api_base else self.spec.api_base
            began = time.perf_counter()
            async with asyncio.timeout(self.spec.timeout):
                response = await self._litellm.acompletion(**sent, api_base=base, api_key=key or None)
        except UnitFault as fault:  # nobody could be brought up there
            outcome = self._failed(fault.kind, str(fault), key, began)
        except TimeoutError:
            outcome = self._failed(ErrorKind.TIMEOUT, f"no reply in {self.spec.timeout:g} s", key, began)
        except self._errors as error:
            outcome = self._failed(kind_of(error), str(error), key, began, retry_after(error))
        else:
            return Outcome(self._read(response, time.perf_counter() - began))
        if self._lost and outcome.reply.error_kind in {ErrorKind.CONNECTION, ErrorKind.TIMEOUT}:
            self._lost()
        return outcome

    def _failed(self, kind: ErrorKind, text: str, key: str, began: float, pause: float | None = None) -> Outcome:
        """A try that brought no text."""
        latency = time.perf_counter() - began
        error = f"{self.spec.name}: {one_line(text, key)}"
        if kind is ErrorKind.AUTH:
            variable = self.spec.api_key_env or f"none: set models.{self.spec.name}.api_key_env"
            error += f"; see the model's name ({self.spec.model}) and the variable with its key ({variable})"
        return Outcome(Reply(text=None, latency=latency, error_kind=kind, error=error), pause)

    def _read(self, response: Any, latency: float) -> Reply:
        """A response as a row; a filtered one has its tokens and cost, and no text."""
        choice = response.choices[0] if response.choices else None
        usage = getattr(response, "usage", None)
        prompt, completion = getattr(usage, "prompt_tokens", None), getattr(usage, "completion_tokens", None)
        if not prompt:  # LiteLLM's zeros where the endpoint does not say: no prompt has no token
            prompt = completion = None
        cached = cached_tokens(response, usage)
        kind = error = None
        if choice is None:
            kind, error = ErrorKind.SERVER, f"{self.spec.name}: the reply holds no choice"
        elif choice.finish_reason == "content_filter":
            kind, error = ErrorKind.FILTERED, f"{self.spec.name}: a safety filter held the reply back"
        return Reply(
            text=None if kind or choice is None else choice.message.content or "",
            prompt_tokens=prompt,
            completion_tokens=completion,
            cached_tokens=cached,
            cost=cost(self.spec.price, prompt, completion, cached),
            latency=latency,
            finish_reason=choice and choice.finish_reason,
            error_kind=kind,
            error=error,
        )


def arguments(spec: Spec, request: Request) -> dict[str, Any]:
    """What ``acompletion`` is called with, but for the address and the key."""
    call: dict[str, Any] = {
        "model": spec.model,
        "messages": request.messages(),
        "temperature": request.temperature,
        "max_tokens": spec.max_tokens,
        "timeout": spec.timeout,
        "num_retries": 0,
        "max_retries": 0,
    }
    if spec.structured == "json_schema":
        schema = strict_schema(request.reply, spec.max_chars)
        named = {"name": request.reply.__name__, "schema": schema, "strict": True}
        call["response_format"] = {"type": "json_schema", "json_schema": named}
    elif spec.structured == "json_object":
        call["response_format"] = {"type": "json_object"}
    if spec.send_seed:
        call["seed"] = request.seed
    if spec.extra:
        call["extra_body"] = spec.extra
    return call


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


def pause(state: RetryCallState) -> float:
    """Seconds before the next try: what the endpoint asks for plus jitter, else between half and all of 1, 2, 4, ..."""
    asked = state.outcome.result().pause if state.outcome else None
    if asked is not None:
        return float(min(asked, LONGEST_WAIT)) + wait_random_exponential(multiplier=0.1, max=1)(state)
    half = wait_exponential(multiplier=0.5, max=LONGEST_WAIT / 2)(state)
    return half + wait_random_exponential(multiplier=0.5, max=LONGEST_WAIT / 2)(state)


def cached_tokens(response: Any, usage: Any) -> int | None:
    """Prompt tokens that the endpoint did not have to read again; None if it does not say."""
    details = getattr(usage, "prompt_tokens_details", None)
    said = getattr(details, "cached_tokens", None)
    if said is None:
        timings = getattr(response, "timings", None)
        said = timings.get("cache_n") if isinstance(timings, dict) else None
    return said if isinstance(said, int) else None


def cost(price: Price, prompt: int | None, completion: int | None, cached: int | None) -> float | None:
    """US dollars, None where a price or a count that it needs is unknown.

    Cached tokens without a price of their own, or not told apart by the endpoint, cost as much as any input.
    """
    if price.input is None or price.output is None or prompt is None or completion is None:
        return None
    reused = cached or 0
    at_cache = price.input if price.cached is None else price.cached
    return ((prompt - reused) * price.input + reused * at_cache + completion * price.output) / 1e6
