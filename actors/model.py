"""What a model is to everyone else: a spec in conf/model/, and one method that answers a request."""

import re
from collections.abc import Iterator
from datetime import date
from enum import StrEnum
from typing import Annotated, Any, Protocol
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, field_validator, model_validator

from actors.amount import Amount
from actors.paper import Text
from actors.prompt import Request
from actors.row import Row

SECRET_NAME = r"headers|api_?key|secret|passw|authoriz|credential|(auth|access|bearer|session)_?token"
SECRET_VALUE = r"Bearer |sk-"
OURS = {*"model messages max_tokens max_completion_tokens n best_of stream temperature response_format seed".split()}
REPLY_ROOM = 2048  # tokens: no seat can be played in less context


class Kind(StrEnum):
    """Where a model's replies come from."""

    LITELLM = "litellm"  # any provider that LiteLLM speaks to
    EMBEDDED = "embedded"  # the small model that comes with the project, on loopback
    SCRIPTED = "scripted"  # a rule over a world whose truth is known: no model at all


class Client(StrEnum):
    """What speaks to an endpoint."""

    AUTO = "auto"  # http where it can, else LiteLLM
    LITELLM = "litellm"
    HTTP = "http"  # our own: OpenAI-compatible endpoints, many times faster


PLAIN = re.compile(r"(openai|hosted_vllm)/.+")
REWRITTEN = re.compile(r"openai/(.*/)?(o\d|gpt-[5-9])")
"""Names for which LiteLLM changes the request: these models do not take max_tokens."""

Dollars = Annotated[float, Field(ge=0)]


class Price(Row):
    """US dollars per million tokens; None is unknown, never free."""

    input: Dollars | None = None
    cached: Dollars | None = None
    output: Dollars | None = None


Rate = Annotated[float, Field(ge=0, le=1)]
Points = Annotated[float, Field(ge=-10, le=10)]


class Persona(Row):
    """How a scripted player plays, answers, rates and annotates (questioning game, section 7).

    Every dial is described in docs/scripted_world.md; at its default it has no effect.
    """

    knowledge: Rate = 0.5
    skill: Rate = 0.5
    leave: Rate = 0.3
    dwell: Rate = 0.0
    reads: bool = True
    learns: bool = True
    rut: Rate = 0.0
    peak: Annotated[float, Field(ge=0)] | None = None
    accent: str = ""
    reference: bool = False
    flip: Rate = 0.0
    unknown: Rate = 0.0
    leniency: Points = 0.0
    noise: Annotated[float, Field(ge=0, le=10)] = 0.0
    bias: dict[str, Points] = Field(default_factory=dict)
    slip: Rate = 0.0


class Spec(Row):
    """One model: its name in every table, how to reach it, what it costs.

    A model is known by its name and by what changes its replies. Where it is served, for how much and how fast, may
    change without a finished game being played again: give another name to another model.
    """

    name: Annotated[Text, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._+-]*$", max_length=60)]
    kind: Kind = Kind.LITELLM
    family: Text
    model: str = ""
    cutoff: date | None = None
    context_tokens: Annotated[int, Field(gt=REPLY_ROOM, le=10**9)] = 131072
    max_tokens: Annotated[int, Field(ge=1, le=10**9)] = 4096
    max_chars: Annotated[int, Field(ge=20)] | None = None
    structured: Annotated[str, Field(pattern="^(json_schema|json_object|none)$")] = "json_schema"
    extra: dict[str, Any] = Field(default_factory=dict)
    persona: Persona | None = None
    send_seed: bool = False
    api_base: str | None = None
    api_key_env: Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")] | None = None
    price: Price = Price()
    timeout: Annotated[float, Field(gt=0)] = 300.0
    tries: Annotated[int, Field(ge=1)] = 6
    in_flight: Annotated[int, Field(ge=1)] = 64
    client: Client = Client.AUTO

    @field_validator("extra")
    @classmethod
    def no_key(cls, extra: dict[str, Any]) -> dict[str, Any]:
        """Keys come from the environment alone: what stands here goes into config.yaml and hashes.

        Nor may it hold what this project sets itself: a longer reply, or several, would pass caps unseen.
        """
        if ours := extra.keys() & OURS:
            raise ValueError(f"'{min(ours)}' is not for extra; see max_tokens, temperature and structured")
        for name, value in pairs(extra):
            if re.search(SECRET_NAME, name, re.IGNORECASE) or re.match(SECRET_VALUE, str(value)):
                raise ValueError(f"'{name}' looks like a secret; name its environment variable in api_key_env")
        return extra

    @field_validator("api_base")
    @classmethod
    def no_password(cls, api_base: str | None) -> str | None:
        """A web address without a user's name or password in it."""
        if api_base is None:
            return None
        parts = urlsplit(api_base)  # a ValueError where it cannot be an address, as does a port
        if not re.fullmatch(r"https?://[^\s@?#]+", api_base) or not parts.hostname or parts.port == 0:
            raise ValueError("must be http(s)://HOST[:PORT]/..., with no password or query; keys go to api_key_env")
        return api_base

    @model_validator(mode="after")
    def named(self) -> "Spec":
        """A model that LiteLLM reaches has LiteLLM's name for it."""
        if self.kind is Kind.LITELLM and not self.model:
            raise ValueError("model: must be set, to LiteLLM's name of it: provider/NAME")
        if self.client is Client.HTTP and not self._plain():
            raise ValueError("client: http needs api_base, and a model named openai/NAME or hosted_vllm/NAME")
        return self

    def _plain(self) -> bool:
        """Whether an OpenAI-compatible endpoint serves it, at an address that is known."""
        served = self.kind is Kind.LITELLM and self.api_base is not None and PLAIN.match(self.model) is not None
        return served or self.kind is Kind.EMBEDDED

    def over_http(self) -> bool:
        """Whether our own client speaks to it, not LiteLLM."""
        if self.client is Client.AUTO:
            return self._plain() and REWRITTEN.match(self.model) is None
        return self.client is Client.HTTP

    def most(self, prompt_bytes: int) -> Amount:
        """The most that one HTTP request with so many bytes of prompt can cost: a token is at least a byte."""
        if self.kind is Kind.SCRIPTED:
            return Amount()
        prompt = min(prompt_bytes, self.context_tokens)
        dollars = None
        if self.price.input is not None and self.price.output is not None:
            dearest = max(self.price.input, self.price.cached or 0)
            dollars = (prompt * dearest + self.max_tokens * self.price.output) / 1e6
        return Amount(tokens=prompt + self.max_tokens, dollars=dollars)

    def identity(self) -> dict[str, Any]:
        """What can change a reply; the rest is where, how fast and for how much."""
        elsewhere = {"api_base", "api_key_env", "price", "timeout", "tries", "in_flight", "client", "cutoff", "family"}
        return self.model_dump(mode="json", exclude=elsewhere)


def pairs(tree: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Every name and value in a tree of dicts and lists."""
    if isinstance(tree, dict):
        for key, value in tree.items():
            yield from pairs(value, str(key))
    elif isinstance(tree, list):
        for value in tree:
            yield from pairs(value, name)
    else:
        yield name, tree


def clean(text: str) -> str:
    """The text without half characters, which some endpoints send and no file can hold."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def plausible(count: object) -> int | None:
    """A count of tokens that can be one; some endpoints send what cannot, and that is not known."""
    return count if isinstance(count, int) and 0 <= count < 2**53 else None


Clean = Annotated[str, AfterValidator(clean)]
Count = Annotated[int | None, BeforeValidator(plausible)]


class Reply(Row):
    """What came back for one request, or why nothing did; None is unknown.

    latency: seconds of the try that ended it. tries: HTTP requests made. cost: US dollars.
    """

    text: Clean | None
    prompt_tokens: Count = None
    completion_tokens: Count = None
    cached_tokens: Count = None
    cost: float | None = None
    latency: float
    tries: int = 1
    finish_reason: str | None = None
    error_kind: str | None = None
    error: Clean | None = None


class Model(Protocol):
    """Anything that answers a request. Trouble at the other end is a Reply with ``error_kind``, never an exception."""

    spec: Spec

    async def complete(self, request: Request) -> Reply:
        """One reply, after the model's own tries."""

    def ceiling(self, request: Request) -> Amount:
        """The most that one HTTP request for it can cost."""
