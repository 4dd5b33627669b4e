"""The kinds of trouble that are not bugs.

Fault
├── BadInput      the person asked for something that cannot be: one line, exit code 2
│   └── Unfit     an actor's place lacks what its calls need: they go to the others (actors/pool.py)
├── UnitFault     one unit cannot go on: it becomes a row with ``error_kind``, the run goes on
├── Stopped       the run sends no more requests: units stay where they are (actors/channel.py)
├── Lost          an actor or its node died with a call: the unit goes on elsewhere (actors/pool.py)
└── Unbuilt       an actor was started again: whoever calls builds its instance (actors/host.py)
"""

import difflib
from collections.abc import Sequence
from enum import StrEnum


class ErrorKind(StrEnum):
    """Why a unit, or one call of it, did not end well."""

    AUTH = "auth"  # the endpoint refuses the key, or does not know the model: the run stops
    TIMEOUT = "timeout"  # no reply in time, after all tries
    CONNECTION = "connection"  # the endpoint cannot be reached, after all tries
    RATE = "rate"  # still over the endpoint's limit after all tries
    SERVER = "server"  # the endpoint answers 5xx, after all tries
    BAD_REQUEST = "bad_request"  # the endpoint refuses the request itself
    CONTEXT = "context"  # the prompt does not fit the model's context
    FILTERED = "filtered"  # a safety filter withheld the reply
    INVALID = "invalid"  # replies kept breaking the schema, after all attempts
    RATING = "rating"  # at least one card has no rating after three attempts
    READING = "reading"  # an annotator or answerer left something that it read without a valid reply
    LOST = "lost"  # actors or nodes died too often under this unit
    OVERRUN = "overrun"  # a branch did not end when its time was over
    CLOCK = "clock"  # a branch's time was spent before it could measure anything
    ENGINE = "engine"  # the container engine went away, or refused what it was asked for


OUTAGES = frozenset(
    {
        *(ErrorKind.TIMEOUT, ErrorKind.CONNECTION, ErrorKind.RATE, ErrorKind.SERVER, ErrorKind.ENGINE),
        ErrorKind.BAD_REQUEST,  # of an endpoint that was not set up well
    }
)
"""Trouble that may have passed, or been mended, by the time that a unit is played again."""


class Fault(Exception):
    """Root of what this project raises on purpose."""


class BadInput(Fault):
    """What the person asked for cannot be done: what is wrong, where, what to do, in one line."""


class UnitFault(Fault):
    """A unit cannot go on. One positional message, so that it survives pickling."""

    def __init__(self, message: str = "", kind: ErrorKind = ErrorKind.INVALID) -> None:
        super().__init__(message)
        self.kind = kind

    def __reduce__(self) -> tuple[type["UnitFault"], tuple[object, ...]]:
        return type(self), (str(self), self.kind)


def unknown(what: str, name: str, known: Sequence[str], advice: str) -> str:
    """Unknown thing 'x': did you mean 'y'? known: ..."""
    near = difflib.get_close_matches(name, known, n=1)
    guess = f"; did you mean '{near[0]}'?" if near else ""
    listed = f" (known: {', '.join(sorted(known))})" if len(known) < 40 else ""
    return f"unknown {what} '{name}'{guess}{listed}{'; ' + advice if advice else ''}"
