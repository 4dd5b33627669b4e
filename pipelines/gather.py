"""From the store to a run's tables: one Parquet file a table, written aside and renamed."""

import os
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from pipelines.store import Store
from pipelines.table import TABLES, schema
from pipelines.unit import Unit

ROWS_A_GROUP = 50_000
PENDING: dict[str, Any] = {"status": "pending", "round": 0}


class Table:
    """One Parquet file in the making: rows go out in groups, so memory stays flat."""

    def __init__(self, folder: Path, name: str) -> None:
        self.path = folder / f"{name}.parquet"
        self._aside = folder / f".{name}.{os.getpid()}.parquet"
        self._schema = schema(name)
        self._writer = pq.ParquetWriter(self._aside, self._schema)
        self._rows: list[dict[str, Any]] = []

    def add(self, rows: Iterable[dict[str, Any]]) -> None:
        """Append rows; a key that the table does not have is a bug."""
        self._rows.extend(rows)
        if len(self._rows) >= ROWS_A_GROUP:
            self._flush()

    def _flush(self) -> None:
        if self._rows:
            unknown = self._rows[0].keys() - set(self._schema.names)
            assert not unknown, f"{self.path.stem} has no column {unknown}"
            self._writer.write_table(pa.Table.from_pylist(self._rows, self._schema))
            self._rows = []

    def close(self) -> None:
        """Write what is left, and give the file its name."""
        self._flush()
        self._writer.close()
        self._aside.replace(self.path)


def gather(units: Sequence[Unit], store: Store, folder: Path) -> None:
    """Write every table of a run, in the order of its units, from the store alone. ``units`` closes last."""
    folder.mkdir(parents=True, exist_ok=True)
    tables = {name: Table(folder, name) for name in TABLES}
    for unit in units:
        record = store.plain(unit.id) if store.finished(unit.id) else PENDING
        own = keys(unit)
        tables["units"].add([{**own, **facts(unit), **ending(record)}])
        for name, more in row_keys(unit, record).items():
            tables[name].add({**own, **more, **flattened(name, row)} for row in record.get("rows", {}).get(name, ()))
        tables["calls"].add({**own, **call_row(call)} for call in record.get("calls", ()))
    for table in sorted(tables.values(), key=lambda table: table is tables["units"]):
        table.close()


def stale(units: Sequence[Unit], store: Store, folder: Path) -> bool:
    """Whether a run's tables are not what `gather` would write now."""
    try:
        if any(pq.read_schema(folder / f"{name}.parquet") != schema(name) for name in TABLES):
            return True
    except (OSError, pa.ArrowInvalid):  # one is missing, or damaged
        return True
    path = folder / "units.parquet"
    columns = ["unit", "contaminated", "truncated", "status", "finished_at"]
    written = pq.read_table(path, columns=columns).to_pylist()
    wanted = []
    for unit in units:
        entry = store.finished(unit.id)
        ended = None if entry is None else datetime.fromtimestamp(int(entry.finished_at * 1000) / 1000, UTC)
        status = entry.status if entry else "pending"
        values = (unit.id, unit.contaminated, unit.truncated, status, ended)
        wanted.append(dict(zip(columns, values, strict=True)))
    return written != wanted


def keys(unit: Unit) -> dict[str, Any]:
    """The columns that every table begins with."""
    return {
        "unit": unit.id,
        "paper": unit.paper,
        "model": unit.model,
        "condition": unit.condition.value,
        "replicate": unit.replicate,
    }


def facts(unit: Unit) -> dict[str, Any]:
    """What is known of a unit before it is played, as columns of ``units``."""
    return {
        "kind": unit.kind,
        "judge": unit.judge,
        "game": unit.game or unit.id,
        "questions": unit.questions,
        "contaminated": unit.contaminated,
        "truncated": unit.truncated,
    }


def ending(record: Mapping[str, Any]) -> dict[str, Any]:
    """How a unit ended, as columns of ``units``."""
    finished = record.get("finished_at")
    return {
        "status": record["status"],
        "error_kind": record.get("error_kind"),
        "error": record.get("error"),
        "round": record["round"],
        "finished_at": None if finished is None else datetime.fromtimestamp(finished, UTC),
        "seconds": record.get("seconds"),
    }


def row_keys(unit: Unit, record: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The tables that a unit's rows go to, with more columns; prompts are those that were played."""
    prompts = {call["seat"]: call["prompt"] for call in record.get("calls", ())}
    if unit.kind == "judging":
        return {"ratings": {"game": unit.game, "judge": unit.judge, "prompt": prompts.get("rating")}}
    return {
        "turns": {"prompt": prompts.get("question"), "answer_prompt": prompts.get("answer")},
        "cards": {"prompt": prompts.get("card")},
    }


def flattened(table: str, row: Mapping[str, Any]) -> dict[str, Any]:
    """A stored row without nested values."""
    flat = dict(row)
    if table == "turns":
        flags = flat.pop("flags")
        flat |= {name: name in flags for name in ("empty", "compound", "not_yes_no", "repeat")}
    elif table == "cards":
        flat["components"] = "\n".join(flat["components"])
    return flat


def call_row(call: Mapping[str, Any]) -> dict[str, Any]:
    """A stored call as a row of ``calls``; its text stands in the table that it made."""
    reply = {key: value for key, value in call["reply"].items() if key != "text"}
    own = {key: value for key, value in call.items() if key not in ("reply", "started_at", "after")}
    return {**own, **reply, "started_at": datetime.fromtimestamp(call["started_at"], UTC)}
