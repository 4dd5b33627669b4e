"""From a record's rows to rows without nested values, table by table: the one place that knows how.

A function for each table that needs one; the others' rows are flat as they are. Rows in, rows out: one row of a record
may be several of a table.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

FLAGS = ("empty", "compound", "not_yes_no", "repeat")
RECONSTRUCTED = ("title", "short_hypothesis", "twist", "grounded_in", "addresses", "mode")

Flat = dict[str, Any]
Stored = Mapping[str, Any]


def turn(row: Stored) -> Iterator[Flat]:
    """A column for each flag."""
    yield {**without(row, "flags"), **{name: name in row["flags"] for name in FLAGS}}


def card(row: Stored) -> Iterator[Flat]:
    """Components one a line."""
    yield {**row, "components": "\n".join(row["components"])}


def idea(row: Stored) -> Iterator[Flat]:
    """Experiments and techniques one a line."""
    experiments = (f"{one['hypothesis']}: {'; '.join(one['steps'])}" for one in row["experiments"])
    yield {**row, "experiments": "\n".join(map(in_a_line, experiments)), "techniques": "\n".join(row["techniques"])}


def cluster(row: Stored) -> Iterator[Flat]:
    """A row for each idea."""
    for name in row["idea_ids"]:
        yield {**without(row, "index", "idea_ids"), "cluster": row["index"], "idea_id": name}


def plan(row: Stored) -> Iterator[Flat]:
    """A row for each iteration."""
    for iteration, branches in enumerate(row["plan"], 1):
        yield {**without(row, "plan"), "iteration": iteration, "branches": branches}


def assignment(row: Stored) -> Iterator[Flat]:
    """The idea by its id alone: it has a table of its own."""
    parents = ",".join(map(str, row["parents"]))
    yield {**without(row, "idea"), "idea_id": row["idea"] and row["idea"]["id"], "parents": parents}


def attempt(row: Stored) -> Iterator[Flat]:
    """Flags joined."""
    yield {**row, "audit_flags": ",".join(row["audit_flags"])}


def execution(row: Stored) -> Iterator[Flat]:
    """Its time as tables have it."""
    yield {**row, "started_at": milliseconds(row["started_at"])}


def audit(row: Stored) -> Iterator[Flat]:
    """Flags joined, and the reconstructed idea column by column."""
    found = row["reconstructed_idea"] or {}
    yield {
        **without(row, "reconstructed_idea"),
        "flags": ",".join(row["flags"]),
        "mechanical": ",".join(row["mechanical"]),
        **{f"reconstructed_{name}": found.get(name) for name in RECONSTRUCTED},
    }


def solution(row: Stored) -> Iterator[Flat]:
    """A row for each file; what is no text stays base64."""
    for name, content in row["files"].items():
        encoded = isinstance(content, Mapping)
        written = content["base64"] if encoded else content
        encoding = "base64" if encoded else "text"
        yield {**without(row, "files"), "file": name, "content": written, "encoding": encoding}


FLAT: dict[str, Callable[[Stored], Iterable[Flat]]] = {
    "turns": turn,
    "cards": card,
    "ideas": idea,
    "clusters": cluster,
    "plans": plan,
    "assignments": assignment,
    "attempts": attempt,
    "executions": execution,
    "audits": audit,
    "solutions": solution,
}


def flat(table: str, rows: Sequence[Stored]) -> dict[str, list[Any]]:
    """Stored rows of a table as columns."""
    known = FLAT.get(table)
    found = [one for row in rows for one in known(row)] if known else rows
    return {name: [row.get(name) for row in found] for name in (found[0] if found else ())}


def without(row: Stored, *names: str) -> Flat:
    """The row without some columns."""
    return {name: value for name, value in row.items() if name not in names}


def in_a_line(text: str) -> str:
    """The text in one line."""
    return " ".join(text.split())


def milliseconds(seconds: float) -> int:
    """A time as tables have it, since the epoch."""
    return int(seconds * 1000)
