"""The calls of one unit, in order: what is on disk is replayed, what is new is made and put on disk.

A call is made only when the one before it is synced, and with it the note that this one starts: one wait for both. So a
crash costs a unit at most the one call that was under way, and that one is counted. The disk is in the way of one unit,
never of the many others that are under way with it.
"""

import asyncio
import hashlib
import time
from collections.abc import Iterable

from actors.journal import Channel
from actors.model import Model, Reply
from actors.prompt import Request, prompt_hash
from actors.row import Row


class Call(Row):
    """One request to a model and what came of it: a row of the table ``calls``.

    ``attempt`` counts the calls made for one seat and turn, those that failed with them; ``started_at`` is in seconds
    since the epoch; ``lost`` counts earlier starts of this call whose reply a crash swallowed.
    """

    seat: str
    turn: int
    attempt: int
    caller: str
    prompt: str
    reply: Reply
    lost: int = 0
    started_at: float


class Reel(Row):
    """The part of a tape that another actor needs to make the calls of one seat and turn."""

    unit: str
    round: int
    calls: tuple[Call, ...]
    lost: int


class Tape:
    """All calls of one unit. ``round`` is how often the unit had failed before: each round allows new attempts."""

    def __init__(
        self,
        unit: str,
        round: int = 0,
        recorded: Iterable[Call] = (),
        starts: Iterable[tuple[str, int, int]] = (),
        channel: Channel | None = None,
    ) -> None:
        self.unit = unit
        self.round = round
        self.calls: list[Call] = []
        self._channel = channel
        self._recorded = {(call.seat, call.turn, call.attempt): call for call in recorded}
        self._starts: dict[tuple[str, int, int], int] = {}
        for start in starts:
            self._starts[start] = self._starts.get(start, 0) + 1
        self._acknowledged: asyncio.Future[None] | None = None

    def replay(self, seat: str, turn: int, attempt: int) -> Call | None:
        """The recorded call at this place, taken over into ``calls``; None where a new one must be made."""
        call = self._recorded.pop((seat, turn, attempt), None)
        if call is not None:
            self.calls.append(call)
        return call

    async def make(self, model: Model, request: Request, seat: str, turn: int, attempt: int) -> Call:
        """Make a call. It is not on the tape before `add`."""
        await self.start(seat, turn, attempt)
        started = time.time()
        reply = await model.complete(request)
        return Call(
            seat=seat,
            turn=turn,
            attempt=attempt,
            caller=model.spec.name,
            prompt=prompt_hash(request.prompt),
            reply=reply,
            lost=self._lost(seat, turn, attempt),
            started_at=started,
        )

    async def start(self, seat: str, turn: int, attempt: int) -> None:
        """A call is about to be made: return when this note, and every call before it, is on disk."""
        if self._channel is not None:
            await self._channel.send(self.unit, {"start": [seat, turn, attempt]})

    def add(self, call: Call) -> None:
        """Put a new call on the tape, and on its way to disk."""
        self.calls.append(call)
        if self._channel is not None:
            self._acknowledged = self._channel.send(self.unit, {"call": call.model_dump()})

    async def settle(self) -> None:
        """Return when the last call is on disk."""
        if self._acknowledged is not None:
            await self._acknowledged
            self._acknowledged = None

    def reel(self, seat: str, turn: int) -> Reel:
        """What is recorded for one seat and turn, to be sent to the actor that holds the seat."""
        places = [place for place in self._recorded if place[:2] == (seat, turn)] if self._recorded else []
        calls = tuple(self._recorded[place] for place in sorted(places))
        return Reel(unit=self.unit, round=self.round, calls=calls, lost=self._lost(seat, turn, len(calls)))

    def splice(self, calls: Iterable[Call]) -> None:
        """Take over what another actor made from a reel: the recorded calls again, then the new ones."""
        for call in calls:
            if self.replay(call.seat, call.turn, call.attempt) is None:
                self.add(call)

    def rest(self) -> list[Call]:
        """Recorded calls that the unit has not come to: kept, since they were paid."""
        return list(self._recorded.values())

    def seed(self, seat: str, turn: int, sample: int) -> int:
        """A 31-bit sampling seed that is this place's own, in whatever order units run."""
        text = f"{self.unit}|{seat}|{turn}|{sample}"
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") >> 1

    def _lost(self, seat: str, turn: int, attempt: int) -> int:
        return self._starts.get((seat, turn, attempt), 0)


def from_reel(reel: Reel, seat: str, turn: int) -> Tape:
    """A tape without a disk, for the actor that a reel was sent to."""
    starts = [(seat, turn, len(reel.calls))] * reel.lost
    return Tape(reel.unit, reel.round, reel.calls, starts)
