"""What calls cost, as sums that say so where a part of them is not known."""

from collections.abc import Iterable
from typing import NamedTuple, TypeVar

from actors.model import Reply

N = TypeVar("N", int, float)


class Spent(NamedTuple):
    """Sums over calls; one is None where any of its parts is unknown."""

    calls: int = 0
    prompt_tokens: int | None = 0
    completion_tokens: int | None = 0
    cached_tokens: int | None = 0
    cost: float | None = 0

    def plus(self, other: "Spent") -> "Spent":
        """Both together."""
        return Spent(
            self.calls + other.calls,
            total(self.prompt_tokens, other.prompt_tokens),
            total(self.completion_tokens, other.completion_tokens),
            total(self.cached_tokens, other.cached_tokens),
            total(self.cost, other.cost),
        )


def total(one: N | None, two: N | None) -> N | None:
    """The sum of two numbers; None where one of them is unknown."""
    return None if one is None or two is None else one + two


def spent(replies: Iterable[Reply]) -> Spent:
    """The sums. A call that never reached a model, or brought nothing back, has no tokens: it is only counted."""
    sums = Spent()
    for reply in replies:
        if reply.text is None and reply.prompt_tokens is None:
            sums = sums.plus(Spent(calls=1))
        else:
            sums = sums.plus(Spent(1, reply.prompt_tokens, reply.completion_tokens, reply.cached_tokens, reply.cost))
    return sums
