"""The columns of every table, in one place: the writer, the reader and docs/tables.md all come from here.

``python -m pipelines.table > docs/tables.md`` writes the document; a test compares the two.
"""

import sys
from collections.abc import Iterable

import pyarrow as pa

from pipelines.column import FLAG, INT, KEYS, PROMPT, REAL, TEXT, TIME, UNIT, Column, Tables
from pipelines.game_tables import GAME_TABLES
from pipelines.search_tables import SEARCH_TABLES

SHARED_TABLES: Tables = {
    "units": (
        "One row per unit of the run: a game of some kind, one reader's work on it, or a search. Key: unit.",
        (
            UNIT,
            Column("kind", TEXT, "game, judging, ..., search", "what the unit is; pipelines/unit.py lists them"),
            *KEYS,
            Column("reader", TEXT, "name", "who reads a stored game: its judge, its annotator, or another answerer"),
            Column("game", TEXT, "id", "the game that is read; of what is played its own unit; NULL for a search"),
            Column("source", TEXT, "id", "of a fork: the game that it continues"),
            Column("side", TEXT, "best, worst", "of a fork: which of the paper's games its source is"),
            Column("cut", INT, "questions", "of a fork: how many of its source's turns it begins with, k"),
            Column("continuation", INT, "from 0", "of a fork: which of the repeated continuations"),
            Column("selection", TEXT, "model, random, best_of", "of a pooled game: how it is picked"),
            Column("questions", INT, "questions", "length of the game, T; NULL for a probe and a search"),
            Column("status", TEXT, "ok, error, pending", "pending: not played yet"),
            Column("error_kind", TEXT, "see actors/errors.py", "why it failed; NULL unless status is error"),
            Column("error", TEXT, "", "the same in words"),
            Column(
                "contaminated", FLAG, "", "the paper was public by the inquisitor's cutoff; NULL if that is unknown"
            ),
            Column(
                "truncated",
                TEXT,
                "none, references, ...",
                "what the answerer's context left out, joined by +; NULL for judging",
            ),
            Column("round", INT, "from 0", "how often the unit had failed before"),
            Column("finished_at", TIME, "UTC", "when it ended"),
            Column("seconds", REAL, "s", "wall-clock of the session that finished it"),
        ),
    ),
    "calls": (
        "One row per request to a model. Key where used: unit, part, seat, turn, attempt.",
        (
            UNIT,
            *KEYS,
            Column("part", TEXT, "", "which part of the unit asked, as a search's b07 or 02.dispatch; empty: the unit"),
            Column("seat", TEXT, "question, answer, card, rating, pick, ..., an operator", "what was asked for"),
            Column("turn", INT, "t", "at which turn or card"),
            Column(
                "attempt",
                INT,
                "from 0",
                "which call for this turn: a reply that breaks the schema or a rule is asked again",
            ),
            Column("round", INT, "from 0", "how often the unit had failed before this call"),
            Column("used", FLAG, "", "false: paid, but the result does not stand on it"),
            Column("caller", TEXT, "name", "the model that was asked"),
            PROMPT,
            Column("prompt_tokens", INT, "tokens", "as the endpoint counts; NULL if it does not say"),
            Column("completion_tokens", INT, "tokens", "as the endpoint counts; NULL if it does not say"),
            Column("cached_tokens", INT, "tokens", "prompt tokens that the endpoint reused; NULL if it does not say"),
            Column("cost", REAL, "USD", "from the prices in conf/model; NULL if one is unknown"),
            Column("latency", REAL, "s", "the last try's wall-clock"),
            Column("tries", INT, "requests", "HTTP requests made, with those refused or lost on the way"),
            Column("lost", INT, "calls", "earlier starts of this call whose reply a crash swallowed"),
            Column("finish_reason", TEXT, "", "as the endpoint gives it"),
            Column("error_kind", TEXT, "see actors/errors.py", "why there is no reply, or why it was not used"),
            Column("error", TEXT, "", "the same in words"),
            Column("started_at", TIME, "UTC", "when it was sent"),
        ),
    ),
    "limits": (
        "One row per change of the limit of requests under way at an endpoint, of the drivers that finished units.",
        (
            Column("driver", TEXT, "name", "whose limit it was: its folder in the store"),
            Column("endpoint", TEXT, "", "address or provider, and model"),
            Column("at", TIME, "UTC", "when it changed"),
            Column("limit", INT, "requests", "how many could be under way from then on"),
            Column(
                "why",
                TEXT,
                "start, grow, rate, pause, server, bound",
                "first heard of; all went well; a 429; Retry-After; 5xx, time-out: no growth; a model allows less",
            ),
        ),
    ),
}

TABLES = {**SHARED_TABLES, **GAME_TABLES, **SEARCH_TABLES}
OF_GAMES = (*SHARED_TABLES, *GAME_TABLES)
OF_SEARCHES = (*SHARED_TABLES, *SEARCH_TABLES)
"""The tables that a run of a family has."""

INCOMPLETE = {b"heuresis": b"incomplete"}  # in the file of ``units``, where the other tables are still empty


def schema(table: str) -> pa.Schema:
    """The Arrow schema of one table."""
    return pa.schema([pa.field(column.name, column.type) for column in TABLES[table][1]])


def is_complete(units: pa.Schema) -> bool:
    """Whether the tables beside a file of ``units`` are whole; else its run goes on, or was interrupted."""
    return (units.metadata or {}).get(b"heuresis") != INCOMPLETE[b"heuresis"]


def document() -> str:
    """docs/tables.md."""
    lines = [
        "# Tables",
        "",
        "A run writes `tables/<name>.parquet`: those of both families, and its own. All tables are long: one row a",
        "thing, no nested column. What is not known is NULL, never 0. This page is written by",
        "`python -m pipelines.table`.",
        *described("Of both families", SHARED_TABLES),
        *described("Of the questioning game", GAME_TABLES),
        *described("Of the idea search", SEARCH_TABLES),
    ]
    return "\n".join(lines) + "\n"


def described(title: str, tables: Tables) -> Iterable[str]:
    """One chapter of it."""
    yield from ("", f"# {title}")
    for name, (about, columns) in tables.items():
        yield from ("", f"## {name}", about, "", "| column | type | unit or values | meaning |", "|---|---|---|---|")
        yield from (f"| {c.name} | {c.type} | {c.unit} | {c.meaning} |" for c in columns)


if __name__ == "__main__":
    sys.stdout.write(document())
