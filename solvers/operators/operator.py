"""What every operator is: a prompt, the shape of its reply, what is wrong with one, and what is done without one.

An operator never ends a search: after two replies that are of no use its fallback stands, marked as such. An endpoint
that cannot be reached is another matter: that ends the unit with an error, and the same command goes on from there.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from actors.row import Row

R = TypeVar("R", bound=Row)
Payload = Mapping[str, Any]
"""What an operator sees: JSON values alone (rows dumped), read by its template and by the scripted manager alike."""
ATTEMPTS = 2


@dataclass(frozen=True)
class Operator(Generic[R]):
    """One operator. name: its template in solvers/prompts, and its seat in the table ``calls``.

    problem: why a reply of the right shape cannot stand, "" where it can; the model is told in its second attempt, as
    the template's value ``mistake``. fallback: what is done where no reply can; a pure function of the payload.
    """

    name: str
    reply: type[R]
    problem: Callable[[R, Payload], str]
    fallback: Callable[[Payload], R]


@dataclass(frozen=True)
class Consulted(Generic[R]):
    """What an operator decided. problem: why the last reply could not stand, where the fallback does."""

    reply: R
    fallback: bool
    problem: str = ""


class Consult(Protocol):
    """Asks the model in the manager's seat. part: which of the search's parts asks, as in "02.expand.b07": its own."""

    async def __call__(self, operator: Operator[R], payload: Payload, part: str) -> Consulted[R]:
        """A reply that can stand, or the fallback. UnitFault where the endpoint is the trouble."""
