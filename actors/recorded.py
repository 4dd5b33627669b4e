"""What is on disk of a unit: its calls, and the facts that it learnt from outside."""

from typing import Any

from actors.model import Reply
from actors.row import Row

Place = tuple[str, int, int]  # seat, turn, attempt


class Call(Row):
    """One request to a model and what came of it: a row of the table ``calls``.

    part: which part of the unit made it; "" is the unit itself.
    attempt: counts the calls for one seat and turn, those that failed with them. round: how often the unit had failed
    before. started_at: seconds since the epoch. lost: earlier starts of this call whose reply a crash swallowed.
    after: a digest of what it hangs on, the calls before it. used: whether the unit's result stands on it.
    """

    seat: str
    turn: int
    attempt: int
    round: int
    caller: str
    prompt: str
    reply: Reply
    lost: int = 0
    started_at: float
    after: str = ""
    used: bool = True
    part: str = ""

    @property
    def place(self) -> Place:
        """Where on the tape it stands."""
        return self.seat, self.turn, self.attempt


class Fact(Row):
    """Something that a unit learnt from outside. about: what it hangs on; value: None where a crash swallowed it.

    round: how often the unit had failed before. at: seconds since the epoch.
    """

    part: str
    kind: str
    index: int
    about: str
    round: int
    value: dict[str, Any] | None
    at: float


class Recorded(Row):
    """What is already on disk of a unit that is to be played: calls, facts, and starts that have no reply, by part."""

    round: int = 0
    calls: tuple[Call, ...] = ()
    starts: tuple[tuple[str, Place], ...] = ()
    facts: tuple[Fact, ...] = ()

    @property
    def known(self) -> int:
        """How much it is: it grows as the unit gets on."""
        return len(self.calls) + sum(fact.value is not None for fact in self.facts)

    def of(self, part: str) -> "Recorded":
        """What one part has of it."""
        return Recorded(
            round=self.round,
            calls=tuple(call for call in self.calls if call.part == part),
            starts=tuple(start for start in self.starts if start[0] == part),
            facts=tuple(fact for fact in self.facts if fact.part == part),
        )
