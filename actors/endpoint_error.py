"""What an exception from an endpoint means: its kind, how long to wait, and its text without keys."""

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from actors.errors import ErrorKind

REFUSED = {401, 402, 403, 404}


def causes(error: BaseException | None) -> Iterator[BaseException]:
    """An error and what lies below it."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def kind_of(error: BaseException) -> ErrorKind:
    """What LiteLLM's exception means; a lost connection reaches us as a 500, told by what lies below it."""
    names = {type(below).__name__ for below in causes(error)}
    if "ContextWindowExceededError" in names or "exceed_context_size" in str(error):
        return ErrorKind.CONTEXT
    if "ContentPolicyViolationError" in names:
        return ErrorKind.FILTERED
    status = getattr(error, "status_code", None)
    if status == 408 or names & {"APITimeoutError", "ReadTimeout", "ConnectTimeout"}:
        return ErrorKind.TIMEOUT
    if names & {"APIConnectionError", "ConnectError", "ReadError", "RemoteProtocolError", "ClientConnectorError"}:
        return ErrorKind.CONNECTION
    if status in REFUSED:
        return ErrorKind.AUTH
    if status == 429:
        return ErrorKind.RATE
    return ErrorKind.SERVER if isinstance(status, int) and status >= 500 else ErrorKind.BAD_REQUEST


def retry_after(error: BaseException) -> float | None:
    """Seconds that a 429 or 503 asks us to wait, given as seconds or as an HTTP date; None if it does not say."""
    if getattr(error, "status_code", None) not in {429, 503}:
        return None
    said = getattr(getattr(error, "response", None), "headers", {}).get("retry-after")
    if said is None:
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
