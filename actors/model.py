"""What a model is to everyone else: a spec in conf/model/, and one method that answers a request."""

import re
from datetime import date
from enum import StrEnum
from typing import Annotated, Any, Protocol

from pydantic import Field, field_validator

from actors.paper import Text
from actors.prompt import Request
from actors.row import Row


class Kind(StrEnum):
    """Where a model's replies come from."""

    LITELLM = "litellm"  # any provider that LiteLLM speaks to
    EMBEDDED = "embedded"  # the small model that comes with the project, on loopback
    SCRIPTED = "scripted"  # a rule over a world whose truth is known: no model at all


class Price(Row):
    """US dollars per million tokens; None is unknown, never free."""

    input: float | None = None
    cached: float | None = None
    output: float | None = None


class Persona(Row):
    """How a scripted player plays, answers and rates (questioning game, section 7)."""

    knowledge: Annotated[float, Field(ge=0, le=1)] = 0.5
    skill: Annotated[float, Field(ge=0, le=1)] = 0.5
    leave: Annotated[float, Field(ge=0, le=1)] = 0.3
    flip: Annotated[float, Field(ge=0, le=1)] = 0.0
    unknown: Annotated[float, Field(ge=0, le=1)] = 0.0
    leniency: float = 0.0
    noise: Annotated[float, Field(ge=0)] = 0.0
    reference: bool = False


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
    context_tokens: int = 131072
    max_tokens: int = 4096
    max_chars: int | None = None
    structured: Annotated[str, Field(pattern="^(json_schema|json_object|none)$")] = "json_schema"
    extra: dict[str, Any] = Field(default_factory=dict)
    persona: Persona | None = None
    send_seed: bool = False
    api_base: str | None = None
    api_key_env: str | None = None
    price: Price = Price()
    timeout: float = 300.0
    tries: int = 6
    in_flight: int = 64

    @field_validator("extra")
    @classmethod
    def no_key(cls, extra: dict[str, Any]) -> dict[str, Any]:
        """Keys come from the environment alone: what stands here goes into config.yaml and hashes."""
        for name in extra:
            if re.search("key|token$|secret|password|authorization", name, re.IGNORECASE):
                raise ValueError(f"'{name}' looks like a secret; name its environment variable in api_key_env")
        return extra

    @field_validator("api_base")
    @classmethod
    def no_password(cls, api_base: str | None) -> str | None:
        """A web address without a user's name or password in it."""
        if api_base is not None and not re.fullmatch(r"https?://[^\s@]+", api_base):
            raise ValueError("must be http(s)://HOST[:PORT]/..., with no password in it; name the key in api_key_env")
        return api_base

    def identity(self) -> dict[str, Any]:
        """What can change a reply; the rest is where, how fast and for how much."""
        elsewhere = {"api_base", "api_key_env", "price", "timeout", "tries", "in_flight", "cutoff", "family"}
        return self.model_dump(mode="json", exclude=elsewhere)


class Reply(Row):
    """What came back for one request, or why nothing did; None is unknown.

    latency: seconds of the try that ended it. tries: HTTP requests made. cost: US dollars.
    """

    text: str | None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    cost: float | None = None
    latency: float
    tries: int = 1
    finish_reason: str | None = None
    error_kind: str | None = None
    error: str | None = None


class Model(Protocol):
    """Anything that answers a request. Trouble at the other end is a Reply with ``error_kind``, never an exception."""

    spec: Spec

    async def complete(self, request: Request) -> Reply:
        """One reply, after the model's own tries."""
