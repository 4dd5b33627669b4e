"""From the store to a run's tables: one Parquet file a table, written aside and renamed."""

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from actors.desk import LIMITS
from actors.limit import Change
from pipelines.entry import Entry
from pipelines.flat import flat, milliseconds
from pipelines.search_tables import SEARCH_TABLES
from pipelines.store import Store
from pipelines.table import INCOMPLETE, OF_GAMES, OF_SEARCHES, is_complete, schema
from pipelines.unit import Unit

ROWS_A_GROUP = 10_000  # more makes smaller files and takes more memory
READINGS = {
    "judging": ("ratings", "judge", ("rating",)),
    "recognition": ("recognitions", "annotator", ("recognition",)),
    "mentions": ("mentions", "annotator", ("mentions",)),
    "lines": ("lines", "annotator", ("lines",)),
    "tree": ("parents", "annotator", ("parents",)),
    "answers": ("answers", "answerer", ("answer",)),
}
"""By kind of unit: its table, the column that holds its reader, the seats whose prompt made the rows."""
PENDING: dict[str, Any] = {"status": "pending", "round": 0}


class Table:
    """One Parquet file in the making: rows are kept by column and go out in groups, so memory stays flat."""

    def __init__(self, folder: Path, name: str, mark: Mapping[bytes, bytes] | None = None) -> None:
        self.path = folder / f"{name}.parquet"
        self._aside = folder / f".{name}.{os.getpid()}.parquet"
        self._schema = schema(name)
        self._writer = pq.ParquetWriter(self._aside, self._schema.with_metadata(dict(mark or {})))
        self._count = 0
        self._columns: dict[str, list[Any]] = {column: [] for column in self._schema.names}

    def add(self, shared: Mapping[str, Any], columns: Mapping[str, list[Any]]) -> None:
        """Append rows, given by column; ``shared`` is the same in all. A name that is no column is a bug."""
        unknown = (shared.keys() | columns.keys()) - self._columns.keys()
        assert not unknown, f"{self.path.stem} has no column {unknown}"
        count = len(next(iter(columns.values()), ()))
        for name, column in self._columns.items():
            column += columns[name] if name in columns else [shared.get(name)] * count
        self._count += count
        if self._count >= ROWS_A_GROUP:
            self._flush()

    def _flush(self) -> None:
        arrays = [pa.array(self._columns[field.name], field.type) for field in self._schema]
        self._writer.write_table(pa.Table.from_arrays(arrays, schema=self._schema))
        self._count = 0
        for column in self._columns.values():
            column.clear()

    def close(self) -> None:
        """Write what is left, and give the file its name."""
        if self._count:
            self._flush()
        self._writer.close()
        self._aside.replace(self.path)


def names(units: Sequence[Unit]) -> tuple[str, ...]:
    """The tables that a run has: its units are of one family."""
    return OF_SEARCHES if any(unit.kind == "search" for unit in units[:1]) else OF_GAMES


def gather(units: Sequence[Unit], store: Store, folder: Path) -> None:
    """Write every table of a run, in the order of its units, from the store alone. ``units`` closes last."""
    folder.mkdir(parents=True, exist_ok=True)
    tables = {name: Table(folder, name) for name in names(units)}
    for unit in units:
        record = store.plain(unit.id) if store.finished(unit.id) else PENDING
        own = unit.keys()
        tables["units"].add({}, one_row({**own, **unit.facts(), **ending(record)}))
        for name, more in row_keys(unit, record).items():
            tables[name].add({**own, **more}, flat(name, record.get("rows", {}).get(name, ())))
        tables["calls"].add(own, call_columns(record.get("calls", ())))
    for driver in sorted({entry.writer for unit in units if (entry := store.finished(unit.id))}):
        tables["limits"].add({"driver": driver}, limit_columns(store.folder / driver / LIMITS))
    close(tables)


def outline(units: Sequence[Unit], store: Store, folder: Path) -> None:
    """Before a run has tables: what the index alone tells, so that status and later runs find it while it goes on.

    No record is opened: all tables but ``units`` are empty, and that is marked as incomplete. Whole tables stay.
    """
    if is_listed(units, folder):
        return
    folder.mkdir(parents=True, exist_ok=True)
    tables = {name: Table(folder, name, INCOMPLETE if name == "units" else None) for name in names(units)}
    for unit in units:
        entry = store.finished(unit.id)
        known = (
            PENDING if entry is None else {name: getattr(entry, name) for name in ("status", "round", "finished_at")}
        )
        tables["units"].add({}, one_row({**unit.keys(), **unit.facts(), **ending(known)}))
    close(tables)


def close(tables: Mapping[str, Table]) -> None:
    """Close all, ``units`` last: where it is new, the others are."""
    for table in sorted(tables.values(), key=lambda table: table.path.stem == "units"):
        table.close()


def is_listed(units: Sequence[Unit], folder: Path) -> bool:
    """Whether a run has tables of the right shape that name just these units."""
    try:
        if any(pq.read_schema(folder / f"{name}.parquet") != schema(name) for name in names(units)):
            return False
        written = pq.read_table(folder / "units.parquet", columns=["unit"])["unit"].to_pylist()
    except (OSError, pa.ArrowInvalid):  # one is missing, or damaged
        return False
    return written == [unit.id for unit in units]


def stale(units: Sequence[Unit], store: Store, folder: Path) -> bool:
    """Whether a run's tables are not what `gather` would write now."""
    path = folder / "units.parquet"
    if not is_listed(units, folder) or not is_complete(pq.read_schema(path)):
        return True
    written = pq.read_table(path, columns=["contaminated", "truncated", "status", "finished_at"])
    times = written["finished_at"].cast(pa.int64()).to_pylist()
    rows = zip(*(column.to_pylist() for column in written.columns[:3]), times, strict=True)
    return any(row != expected(unit, store.finished(unit.id)) for row, unit in zip(rows, units, strict=True))


def expected(unit: Unit, entry: Entry | None) -> tuple[bool | None, str | None, str, int | None]:
    """A unit's contaminated, truncated, status and finished_at as ``units`` should have them."""
    status, ended = ("pending", None) if entry is None else (entry.status, milliseconds(entry.finished_at))
    known = unit.facts()
    return known.get("contaminated"), known.get("truncated"), status, ended


def ending(record: Mapping[str, Any]) -> dict[str, Any]:
    """How a unit ended, as columns of ``units``."""
    finished = record.get("finished_at")
    return {
        "status": record["status"],
        "error_kind": record.get("error_kind"),
        "error": record.get("error"),
        "round": record["round"],
        "finished_at": None if finished is None else milliseconds(finished),
        "seconds": record.get("seconds"),
    }


def row_keys(unit: Unit, record: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The tables that a unit's rows go to, with more columns; prompts are those that were played."""
    if unit.kind == "search":
        return {name: {} for name in SEARCH_TABLES}
    prompts = {call["seat"]: call["prompt"] for call in record.get("calls", ())}
    if unit.kind in READINGS:
        table, reader, seats = READINGS[unit.kind]
        prompt = next((prompts[seat] for seat in seats if seat in prompts), None)
        return {table: {"game": unit.game, reader: unit.reader, "prompt": prompt}}
    if unit.kind == "probe":
        return {"candidates": {"prompt": prompts.get("candidates")}}
    return {
        "turns": {"prompt": prompts.get("question", prompts.get("proposal-1")), "answer_prompt": prompts.get("answer")},
        "cards": {"prompt": prompts.get("card")},
        **({"picks": {}} if unit.kind == "pool" else {}),
    }


def one_row(row: Mapping[str, Any]) -> dict[str, list[Any]]:
    """A row as columns."""
    return {name: [value] for name, value in row.items()}


def call_columns(calls: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Stored calls as columns of ``calls``; their texts stand in the tables that they made."""
    if not calls:
        return {}
    replies = [call["reply"] for call in calls]
    own = {name: [call[name] for call in calls] for name in calls[0] if name not in ("reply", "started_at", "after")}
    said = {name: [reply[name] for reply in replies] for name in replies[0] if name != "text"}
    part = [call.get("part", "") for call in calls]  # which stores from before parts do not say
    return {**own, **said, "part": part, "started_at": [milliseconds(call["started_at"]) for call in calls]}


def limit_columns(path: Path) -> dict[str, list[Any]]:
    """The history of a driver's limits as columns of ``limits``."""
    changes = []
    for line in path.read_text().splitlines() if path.exists() else ():
        with suppress(ValueError):  # cut off by a crash
            changes.append(Change.model_validate_json(line))
    columns: dict[str, list[Any]] = {name: [getattr(one, name) for one in changes] for name in Change.model_fields}
    return {**columns, "at": [milliseconds(one.at) for one in changes]} if changes else {}
