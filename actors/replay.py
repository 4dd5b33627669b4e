"""The calls of one unit, or of a part of one, in order: what is on disk is replayed, what is new is made and put there.

A call is made only when the one before it is synced, and with it the note that this one starts: one wait for both. So a
crash costs a unit at most the one call that was under way, and that one is counted. The disk is in the way of one unit,
never of the many others that are under way with it.

A recorded call is replayed only where it was made after exactly the calls that stand on the tape now: two drivers that
played one unit beside each other cannot get their histories mixed.

What else a unit learns from outside, a measurement or a clock, is a fact: on disk before it is used, and replayed.
A unit whose parts go on beside each other has a tape for each part; its journal lines are the unit's id, #, the part.
"""

import asyncio
import hashlib
import json
import time
from collections import Counter
from collections.abc import Iterable
from typing import Any

from actors.amount import Amount
from actors.channel import Channel
from actors.errors import ErrorKind, UnitFault
from actors.journal import line_of
from actors.model import Model, Reply
from actors.pool import Lost
from actors.prompt import Request, prompt_hash
from actors.recorded import Call, Fact, Place, Recorded

DEATHS = 3  # of actors with one call, before that is taken for the call's fault


class Tape:
    """All calls and facts of one unit, or of one part. ``round`` is how often the unit had failed before.

    Each round allows new attempts. ``unit`` is what the journal's lines begin with. draws: what sampling seeds hang on,
    where that is not the unit's id; units with the same draws are paired, part by part.
    """

    def __init__(
        self,
        unit: str,
        round: int = 0,
        recorded: Iterable[Call] = (),
        starts: Iterable[Place] = (),
        channel: Channel | None = None,
        part: str = "",
        facts: Iterable[Fact] = (),
        life: int = 0,
        draws: str | None = None,
    ) -> None:
        self.unit = line_of(unit, part)
        self._draws = line_of(unit if draws is None else draws, part)
        self.part = part
        self.round = round
        self._life = life
        self._open: Fact | None = None  # begun, and not kept yet
        self.facts: list[Fact] = []
        self._said: list[bytes] = []  # calls as JSON: as rows they would take six times the memory
        self._after = ""
        self._channel = channel
        self._recorded: dict[tuple[Place, str], Call] = {(call.place, call.after): call for call in recorded}
        self._starts = Counter(starts)
        self._known: dict[tuple[str, int], Fact] = {(fact.kind, fact.index): fact for fact in facts}
        self._acknowledged: asyncio.Future[None] | None = None

    @classmethod
    def of(
        cls,
        unit: str,
        part: str,
        recorded: Recorded,
        channel: Channel | None,
        life: int = 0,
        draws: str | None = None,
    ) -> "Tape":
        """The tape of a unit, or of a part of one, with what is recorded of it.

        life: how many actors the unit has lost in this run. What an earlier life left running begins nothing more.
        """
        own = recorded.of(part)
        starts = [place for _, place in own.starts]
        return cls(unit, own.round, own.calls, starts, channel, part, own.facts, life, draws)

    @property
    def calls(self) -> list[Call]:
        """All calls so far, read anew."""
        return [Call.model_validate_json(said) for said in self._said]

    def begin(self, what: str) -> None:
        """What follows hangs on ``what`` alone, and not on the calls before it: one card of several, say."""
        self._after = hashlib.sha256(what.encode()).hexdigest()[:12]

    def replay(self, seat: str, turn: int, attempt: int) -> Call | None:
        """The recorded call at this place, taken over into `calls`; None where a new one must be made."""
        call = self._recorded.pop(((seat, turn, attempt), self._after), None)
        if call is not None:
            self._append(call)
        return call

    async def make(self, model: Model, request: Request, seat: str, turn: int, attempt: int) -> Call:
        """Make a call, when every call before it and the note that it starts are on disk. `add` puts it on the tape.

        Where the actor that should answer dies with it, it is made again: a few times, then that is the unit's end.
        """
        for deaths in range(DEATHS):
            if self._channel is not None:  # without one nothing is counted
                await self.announce((seat, turn, attempt), model.ceiling(request))
            started = time.time()
            try:
                reply = await model.complete(request)
            except Lost as error:
                why = str(error)
                continue
            place, prompt = (seat, turn, attempt), prompt_hash(request.prompt)
            return self.call(place, model.spec.name, prompt, reply, started, deaths)
        raise UnitFault(f"{seat} {turn}: {DEATHS} actors died with this call, the last one of: {why}", ErrorKind.LOST)

    async def announce(self, place: Place, most: Amount) -> None:
        """Say that a call starts, when every call before it is on disk. Stopped at the run's end."""
        if self._channel is not None:
            await self._channel.start(self.unit, {"start": place}, most, self._life)
            await self.settle()  # done by now, unless it failed

    def call(self, place: Place, caller: str, prompt: str, reply: Reply, started: float, deaths: int = 0) -> Call:
        """The row of a call that was made here; `add` puts it on the tape."""
        seat, turn, attempt = place
        return Call(
            seat=seat,
            turn=turn,
            attempt=attempt,
            round=self.round,
            caller=caller,
            prompt=prompt,
            reply=reply,
            lost=self._starts[place] + deaths,
            started_at=started,
            after=self._after,
            part=self.part,
        )

    def taken(self, seat: str) -> int:
        """The last turn of a seat that is recorded, for whoever cannot replay but goes on; 0 where there is none."""
        return max((call.turn for call in self._recorded.values() if call.seat == seat), default=0)

    def recall(self, kind: str, index: int) -> Fact | None:
        """The recorded fact at this place, taken over into `facts`; no value where only its beginning is known."""
        fact = self._known.pop((kind, index), None)
        if fact is not None:
            self._learn(fact)
        return fact

    async def begin_fact(self, kind: str, index: int, about: str) -> None:
        """Say that something is about to be found out; returns when that is on disk. Stopped at the run's end."""
        if self._channel is not None:
            await self._channel.begin(self.unit, {"began": [kind, index, about, self.round]}, self._life)
            await self.settle()
        own = {"kind": kind, "index": index, "about": about, "round": self.round}
        self._open = Fact(part=self.part, value=None, at=time.time(), **own)

    async def keep_fact(self, kind: str, index: int, about: str, value: dict[str, Any]) -> Fact:
        """Something was found out: it is on disk when this returns."""
        fact = Fact(part=self.part, kind=kind, index=index, about=about, round=self.round, value=value, at=time.time())
        self._open = None
        self._learn(fact)
        if self._channel is not None:
            self._acknowledged = self._channel.hand_in(self.unit, {"fact": fact.model_dump()}, self._life)
            await self.settle()
        return fact

    def give_up(self) -> None:
        """What was begun and is not known will not be: it is a fact without a value, as it will be in any replay."""
        if self._open is not None:
            self._learn(self._open)
            self._open = None

    def _learn(self, fact: Fact) -> None:
        self.facts.append(fact)
        text = f"{self._after}|{fact.kind} {fact.index}|{fact.about}|{json.dumps(fact.value, sort_keys=True)}"
        self._after = hashlib.sha256(text.encode()).hexdigest()[:12]

    def add(self, call: Call) -> None:
        """Put a new call on the tape, and on its way to disk."""
        if call.after != self._after:  # it was not made here
            call = call.model_copy(update={"after": self._after})
        self._append(call)
        if self._channel is not None:
            self._acknowledged = self._channel.hand_in(self.unit, {"call": call.model_dump()}, self._life)

    def _append(self, call: Call) -> None:
        self._said.append(call.model_dump_json().encode())
        text = f"{self._after}|{call.place}|{call.reply.text}|{call.reply.error_kind}"
        self._after = hashlib.sha256(text.encode()).hexdigest()[:12]

    async def settle(self) -> None:
        """Return when the last call is on disk."""
        if self._acknowledged is not None:
            await self._acknowledged
            self._acknowledged = None

    def rest(self) -> list[Call]:
        """Recorded calls that the unit's result does not stand on: kept, since they were paid."""
        return [call.model_copy(update={"used": False}) for call in self._recorded.values()]

    def seed(self, seat: str, turn: int, sample: int) -> int:
        """A 31-bit sampling seed that is this place's own, in whatever order units run."""
        text = f"{self._draws}|{seat}|{turn}|{sample}"
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") >> 1
