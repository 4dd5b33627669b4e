"""Requests to any provider that LiteLLM speaks to.

The only module that imports litellm (4 s, 200 MB), and only when the first such model is made. LiteLLM's own retries
are off, so one call is one HTTP request.
"""

import copy
import logging
import os
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from actors.chat import extra_of, parsed
from actors.endpoint_error import EndpointError, refusal
from actors.errors import ErrorKind
from actors.model import Spec

LATE = {"APITimeoutError", "ReadTimeout", "ConnectTimeout"}
LOST = {"APIConnectionError", "ConnectError", "ReadError", "RemoteProtocolError", "ClientConnectorError"}
LOST |= {"ServerDisconnectedError", "ClientOSError"}
OWN_WORDS = re.compile(r"^(?:[\w. ]+: )*\w+Exception - ")
NO_COMPLETION = ("Invalid response object", "Unable to get json response", "Empty or invalid response")


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


class LiteLLMClient:
    """Sends chat requests of one model; see `actors.endpoint.Transport`."""

    def __init__(self, spec: Spec) -> None:
        self._spec = spec
        self._extra = extra_of(spec)
        self._litellm, self._errors = load()

    async def send(self, call: dict[str, Any], base: str | None, key: str) -> dict[str, Any]:
        """The completion; EndpointError where there is none. LiteLLM may change what it is given: it gets a copy."""
        sent: dict[str, Any] = copy.deepcopy(call)
        if self._extra:
            sent["extra_body"] = copy.deepcopy(self._extra)
        try:
            response = await self._litellm.acompletion(
                model=self._spec.model,
                **sent,
                timeout=self._spec.timeout,
                num_retries=0,
                max_retries=0,
                api_base=base,
                api_key=key or None,
            )
        except self._errors as error:
            raise neutral(error) from None
        completion: dict[str, Any] = response.model_dump()
        return completion


def causes(error: BaseException | None) -> Iterator[BaseException]:
    """An error and what lies below it."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def neutral(error: BaseException) -> EndpointError:
    """What LiteLLM's exception means; a lost connection reaches us as a 500, told by what lies below it."""
    below = list(causes(error))
    names = {type(one).__name__ for one in below}
    text = OWN_WORDS.sub("", str(error))
    status = getattr(error, "status_code", None)
    header = next((said for one in below if (said := header_of(one))), None)
    body = next((said for one in below if (said := getattr(one, "body", None))), None)
    found = refusal(status if isinstance(status, int) else 400, body or parsed(text), header)
    if any(words in text for words in NO_COMPLETION):
        found.kind = ErrorKind.SERVER
    elif "ContextWindowExceededError" in names:
        found.kind = ErrorKind.CONTEXT
    elif "ContentPolicyViolationError" in names:
        found.kind = ErrorKind.FILTERED
    elif names & LATE:
        return EndpointError(ErrorKind.TIMEOUT, text)
    elif names & LOST:
        return EndpointError(ErrorKind.CONNECTION, text)
    return found


def header_of(error: BaseException) -> str | None:
    """The Retry-After header, which LiteLLM keeps in the response or in the exception itself."""
    for holder in (getattr(error, "response", None), error):
        said = (getattr(holder, "headers", None) or {}).get("retry-after")
        if said is not None:
            return str(said)
    return None
