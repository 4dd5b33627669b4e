"""What requests may cost or did cost: one sum for tables, caps and reservations."""

from actors.row import Row


class Amount(Row):
    """HTTP requests, tokens of prompts and replies together, US dollars; dollars are None where a price is unknown."""

    requests: int = 0
    tokens: int = 0
    dollars: float | None = 0.0

    def __add__(self, other: "Amount") -> "Amount":
        """Both together; what is unknown stays unknown."""
        unknown = self.dollars is None or other.dollars is None
        return Amount(
            requests=self.requests + other.requests,
            tokens=self.tokens + other.tokens,
            dollars=None if unknown else (self.dollars or 0.0) + (other.dollars or 0.0),
        )
