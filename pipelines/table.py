"""The columns of every table, in one place: the writer, the reader and docs/tables.md all come from here.

``python -m pipelines.table > docs/tables.md`` writes the document; a test compares the two.
"""

import sys
from dataclasses import dataclass

import pyarrow as pa


@dataclass(frozen=True)
class Column:
    """One column: ``unit`` is what its numbers count, or its set of values."""

    name: str
    type: pa.DataType
    unit: str
    meaning: str


TEXT, INT, REAL, FLAG = pa.string(), pa.int64(), pa.float64(), pa.bool_()
TIME = pa.timestamp("ms", tz="UTC")

UNIT = Column("unit", TEXT, "id", "the unit that this row comes from: readable path, then the first of its hash")
GAME_KEYS = (
    Column("paper", TEXT, "id", "the paper that is played"),
    Column("model", TEXT, "name", "the inquisitor, whoever made this row"),
    Column("condition", TEXT, "none, dummy, decoy, full", "which survey the inquisitor reads"),
    Column("replicate", INT, "from 0", "which of the repeated games"),
)
PROMPT = Column("prompt", TEXT, "12 hex digits", "hash of the prompt template")

TABLES: dict[str, tuple[str, tuple[Column, ...]]] = {
    "units": (
        "One row per unit of the run: a game, or one judge's ratings of a game. Key: unit.",
        (
            UNIT,
            Column("kind", TEXT, "game, judging", "what the unit is"),
            *GAME_KEYS,
            Column("judge", TEXT, "name", "the judge; NULL for a game"),
            Column("game", TEXT, "id", "the game that is rated; for a game its own unit"),
            Column("questions", INT, "questions", "length of the game, T"),
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
    "turns": (
        "One row per question. Key: unit, t.",
        (
            UNIT,
            *GAME_KEYS,
            Column("t", INT, "from 1", "number of the question"),
            Column("question", TEXT, "", "what was asked"),
            Column("answer", TEXT, "YES, NO, UNKNOWN", "what the answerer said"),
            Column("empty", FLAG, "", "the question is empty, after two more samples"),
            Column("compound", FLAG, "", "it asks two things by its form, after two more samples"),
            Column("not_yes_no", FLAG, "", "it is no yes/no question by its form, after two more samples"),
            Column("repeat", FLAG, "", "it was asked before in this game, after two more samples"),
            Column("samples", INT, "replies", "how many questions were sampled for this turn"),
            Column("prompt", TEXT, "12 hex digits", "hash of the question template"),
            Column("answer_prompt", TEXT, "12 hex digits", "hash of the answer template"),
        ),
    ),
    "cards": (
        "One row per idea card. Key: unit, t.",
        (
            UNIT,
            *GAME_KEYS,
            Column("t", INT, "questions", "how many questions had been answered"),
            Column("contribution", TEXT, "", "the idea in the inquisitor's words"),
            Column("approach", TEXT, "", "how it works"),
            Column("components", TEXT, "one a line", "its parts"),
            Column("novelty", TEXT, "", "what is new in it"),
            Column("confidence", INT, "0-100", "the inquisitor's own; no judge sees it"),
            PROMPT,
        ),
    ),
    "ratings": (
        "One row per card and judge. Key: game, t, judge.",
        (
            UNIT,
            Column("game", TEXT, "id", "the rated game's unit"),
            *GAME_KEYS,
            Column("t", INT, "questions", "which card"),
            Column("judge", TEXT, "name", "who rates"),
            Column("score", INT, "1-10", "how much of the solution the card recovers; NULL if no valid rating came"),
            Column("rationale", TEXT, "", "the judge's reason; NULL with the score"),
            PROMPT,
        ),
    ),
    "calls": (
        "One row per request to a model. Key where used: unit, seat, turn, attempt.",
        (
            UNIT,
            *GAME_KEYS,
            Column("seat", TEXT, "question, answer, card, rating", "what was asked for"),
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
        "A run writes `tables/<name>.parquet`. All tables are long: one row a thing, no nested column. What is not",
        "known is NULL, never 0. This page is written by `python -m pipelines.table`.",
    ]
    for name, (about, columns) in TABLES.items():
        lines += ["", f"## {name}", about, "", "| column | type | unit or values | meaning |", "|---|---|---|---|"]
        lines += [f"| {c.name} | {c.type} | {c.unit} | {c.meaning} |" for c in columns]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(document())
