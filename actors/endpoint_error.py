"""What a refusal from an endpoint means: its kind, how long to wait, and its text without keys."""

import os
import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from actors.errors import ErrorKind

REFUSED = {401, 402, 403, 404}
MISFIT = {400, 413, 422}  # statuses of a request that does not fit
CONTEXT = re.compile(
    r"context_length_exceeded|exceed_context_size|context (length|limit|size|window)|maximum input length"
    r"|prompt is too long|maximum number of tokens|input tokens exceed|input too long|`inputs` tokens"
)
FILTERED = re.compile(r"content_filter|content_policy_violation")


class EndpointError(Exception):
    """A try that brought no completion. status: HTTP, None where no answer came; retry_after: seconds, or None."""

    def __init__(self, kind: ErrorKind, text: str, status: int | None = None, retry_after: float | None = None) -> None:
        super().__init__(text)
        self.kind = kind
        self.text = text
        self.status = status
        self.retry_after = retry_after


def refusal(status: int, said: Any, header: str | None) -> EndpointError:
    """An answer that is no completion: its status, its body as JSON or text, its Retry-After."""
    message, marks = details(said)
    kind = kind_of(status, f"{marks} {message}".casefold())
    return EndpointError(kind, f"HTTP {status}: {message or 'no word'}", status, retry_after(status, header))


def details(said: Any) -> tuple[str, str]:
    """The message of a refusal, and its code and type; endpoints nest them differently."""
    inner = said.get("error") or said if isinstance(said, dict) else said
    if not isinstance(inner, dict):
        return str(inner), ""
    message = inner.get("message") or inner.get("detail") or inner
    return str(message), f"{inner.get('code')} {inner.get('type')}"


def kind_of(status: int, words: str) -> ErrorKind:
    """What a status means, and the words that came with it in lower case."""
    if status in MISFIT and CONTEXT.search(words):
        return ErrorKind.CONTEXT
    if status in MISFIT and FILTERED.search(words):
        return ErrorKind.FILTERED
    if status in REFUSED:
        return ErrorKind.AUTH
    if status == 408:
        return ErrorKind.TIMEOUT
    if status == 429:
        return ErrorKind.RATE
    return ErrorKind.SERVER if status >= 500 or status < 300 else ErrorKind.BAD_REQUEST


def retry_after(status: int, said: str | None) -> float | None:
    """Seconds that a 429 or 503 asks us to wait, given as seconds or as an HTTP date; None if it does not say."""
    if said is None or status not in {429, 503}:
        return None
    try:
        return max(0.0, float(said))
    except ValueError:
        pass
    try:
        until = parsedate_to_datetime(said)
    except ValueError:
        return None
    return max(0.0, (until.replace(tzinfo=until.tzinfo or UTC) - datetime.now(UTC)).total_seconds())


def one_line(text: str, key: str) -> str:
    """An error text in one line without any key: the one sent, or one that LiteLLM found in the environment."""
    found = {value for name, value in os.environ.items() if name.endswith(("_KEY", "_TOKEN")) and len(value) >= 8}
    secrets = found | ({key} if key not in {"", "none"} else set())
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, "***")
    return " ".join(text.split())[:500]
