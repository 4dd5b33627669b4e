"""A section: what one reading of the clock covers. On its own, so that rows are read without the container SDK."""

from actors.row import Row


class Section(Row):
    """Some cases solved between two readings of the clock. Seconds; ``cpu`` is the child's own, as a cross-check."""

    kind: str
    seed: str
    cases: int
    seconds: float
    cpu: float
    right: bool
    case: int | None = None
    why: str | None = None
