"""The most that a request may cost."""

from actors.row import Row


class Amount(Row):
    """Tokens of prompt and reply together, US dollars; dollars are None where a price is unknown."""

    tokens: int = 0
    dollars: float | None = 0.0
