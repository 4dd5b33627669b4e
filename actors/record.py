"""What a unit leaves: the one row that a finished unit is on disk, and where every failure is written down."""

import hashlib
import json
import socket
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from pydantic import Field

from actors.errors import ErrorKind, UnitFault
from actors.recorded import Call, Fact
from actors.replay import Tape
from actors.row import Row


class Record(Row):
    """A finished unit. ``rows`` holds, by table, the rows it made, without the keys that the unit's id gives.

    ``parent`` is the unit that this one was made from, the game of a judging, and ``parent_digest`` its record's digest
    then: a game that was played again leaves its judgings open.
    """

    unit: str
    parent: str | None = None
    parent_digest: str | None = None
    status: str
    error_kind: ErrorKind | None = None
    error: str | None = None
    round: int
    rows: dict[str, list[dict[str, Any]]]
    calls: list[Call]
    facts: list[Fact] = Field(default_factory=list)
    finished_at: float = Field(default_factory=time.time)
    seconds: float = 0.0
    host: str = Field(default_factory=socket.gethostname)

    @property
    def digest(self) -> str:
        """Twelve hex digits over the rows that it made."""
        return rows_digest(self.rows)


def rows_digest(rows: dict[str, list[dict[str, Any]]]) -> str:
    """Twelve hex digits over a record's rows."""
    return hashlib.sha256(json.dumps(rows, sort_keys=True).encode()).hexdigest()[:12]


class Outcome:
    """A record in the making: add rows to it; a UnitFault inside `recording` becomes its status."""

    def __init__(self) -> None:
        self._rows: dict[str, list[tuple[Row, dict[str, Any]]]] = {}  # rows that the unit's body keeps anyway
        self.calls: list[Call] = []  # of the unit's parts, beside those on its own tape
        self.facts: list[Fact] = []
        self.fault: UnitFault | None = None
        self._record: Record | None = None

    def add(self, table: str, row: Row, **more: Any) -> None:
        """Put a row into a table."""
        self._rows.setdefault(table, []).append((row, more))

    @property
    def record(self) -> Record:
        """The unit's record, which stands when `recording` is over."""
        assert self._record is not None, "it is being recorded still"
        return self._record

    @property
    def rows(self) -> dict[str, list[dict[str, Any]]]:
        """As they go to disk, by table."""
        return {
            table: [{**row.model_dump(mode="json"), **more} for row, more in rows] for table, rows in self._rows.items()
        }


@asynccontextmanager
async def recording(tape: Tape, parent: str | None = None, parent_digest: str | None = None) -> AsyncIterator[Outcome]:
    """Run a unit's body; afterwards ``outcome.record`` stands, with what was done before a fault, if there was one."""
    outcome, started = Outcome(), time.monotonic()
    try:
        yield outcome
    except UnitFault as fault:
        outcome.fault = fault
    await tape.settle()
    outcome._record = Record(
        unit=tape.unit,
        parent=parent,
        parent_digest=parent_digest,
        status="error" if outcome.fault else "ok",
        error_kind=outcome.fault.kind if outcome.fault else None,
        error=str(outcome.fault) if outcome.fault else None,
        round=tape.round,
        rows=outcome.rows,
        calls=[*tape.calls, *tape.rest(), *outcome.calls],
        facts=outcome.facts,
        seconds=time.monotonic() - started,
    )
