"""A line of the store's index."""

from sys import intern
from typing import NamedTuple

import orjson

from pipelines.spent import Spent

RESTARTED = "restarted"  # the status of a unit that force=true has opened again


class Entry(NamedTuple):
    """A line of an index: where a unit's record stands, and what a look at the index should tell."""

    unit: str
    status: str
    round: int
    finished_at: float
    offset: int
    length: int
    digest: str
    parent: str | None
    parent_digest: str | None
    spent: Spent | None = None
    """None in stores from before it was kept."""
    writer: str = ""
    """Whose index the line is in; not part of the line."""

    def line(self) -> bytes:
        """As it stands in the index."""
        return orjson.dumps([*self[:-2], self.spent and tuple(self.spent)]) + b"\n"


def parsed(row: bytes, writer: str) -> Entry:
    """One line of an index; TypeError or ValueError where it is none. Names that recur are kept once."""
    unit, status, round, finished_at, offset, length, digest, parent, parent_digest, *more = orjson.loads(row)
    about = (intern(unit), intern(status), round, finished_at, offset, length, digest)
    own = parent and intern(parent)
    return Entry(*about, own, parent_digest, Spent(*more[0]) if any(more) else None, intern(writer))
