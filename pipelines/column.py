"""A column of a table, and the columns that several tables share."""

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
SEARCH_KEYS = (
    Column("task", TEXT, "name", "the task that is searched"),
    Column("profile", TEXT, "name", "the size that it is measured at"),
    Column("policy", TEXT, "name", "who plans the branches"),
    Column("solver", TEXT, "catalog, llm, command", "who writes their code"),
    Column("model", TEXT, "name", "the model in the manager's seat"),
    Column("replicate", INT, "from 0", "which of the repeated searches"),
)
KEYS = (
    Column("paper", TEXT, "id", "the paper that is played; NULL for a search"),
    Column("condition", TEXT, "none, dummy, decoy, full", "which survey the inquisitor reads; NULL for a search"),
    Column("task", TEXT, "name", "the task that is searched; NULL for a game"),
    Column("profile", TEXT, "name", "the size that the task is measured at; NULL for a game"),
    Column("policy", TEXT, "name", "who plans the branches; NULL for a game"),
    Column("solver", TEXT, "catalog, llm, command", "who writes their code; NULL for a game"),
    Column("model", TEXT, "name", "the inquisitor, or a search's manager, whoever made this row"),
    Column("replicate", INT, "from 0", "which of the repeated games or searches"),
)
"""Of tables that both families have."""
PROMPT = Column("prompt", TEXT, "12 hex digits", "hash of the prompt template")
Tables = dict[str, tuple[str, tuple[Column, ...]]]
"""By name: what a row is, and the columns."""
