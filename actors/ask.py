"""One way to ask a model: call, validate, and ask again where the reply is of no use."""

import json
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from json import JSONDecoder
from typing import Generic, TypeVar

from actors.errors import ErrorKind, UnitFault
from actors.model import Model
from actors.prompt import Request
from actors.recorded import Call, Place
from actors.replay import Tape
from actors.row import Row

R = TypeVar("R", bound=Row)
MOST_OBJECTS = 100  # that are tried in one reply


@dataclass(frozen=True)
class Asked(Generic[R]):
    """A reply that is of use, the flags it was kept with, and how many replies it took."""

    reply: R
    flags: tuple[str, ...]
    samples: int


async def ask(
    tape: Tape,
    model: Model,
    request: Request,
    reply: type[R],
    seat: str,
    turn: int,
    attempts: int,
    check: Callable[[R], Sequence[str]] = lambda _: (),
) -> Asked[R]:
    """Ask until a reply has the shape of ``reply`` and no flag: ``attempts`` times, and as often in each later round.

    A flagged reply is kept if no better one came. UnitFault where none has the shape, or none came at all.
    """
    samples = of_this_round = 0
    kept: Asked[R] | None = None
    places = ((seat, turn, attempt) for attempt in count())
    while True:
        own = replace(request, seed=tape.seed(seat, turn, samples))
        call, value = await next_reply(tape, model, own, reply, places)
        samples += 1
        of_this_round += call.round == tape.round
        if value is not None:
            kept = Asked(value, tuple(check(value)), samples)
        enough = samples % attempts == 0
        if kept is not None and (not kept.flags or enough):
            return replace(kept, samples=samples)
        if enough and of_this_round:
            raise UnitFault(f"{seat} {turn}: no valid reply in {attempts} attempts: {call.reply.error}")


async def next_reply(
    tape: Tape,
    model: Model,
    request: Request,
    reply: type[R],
    places: Iterator[Place],
    of_no_use: Collection[ErrorKind] = (),
) -> tuple[Call, R | None]:
    """The call at the next of ``places``, and what it says: replayed, or made and put on the tape.

    Recorded failures are passed over, since what they came of may have passed; a new one is a UnitFault. Those of the
    kinds ``of_no_use`` are the request's own, and come back like a text that is no ``reply``: without a value.
    """
    for place in places:
        recorded = tape.replay(*place)
        call = recorded or await tape.make(model, replace(request, unit=tape.unit), *place)
        value = None if call.reply.text is None else parsed(call.reply.text, reply)
        if recorded is None:
            call = call if value is not None else unread(call, reply)
            tape.add(call)
        kind = None if call.reply.text is not None else ErrorKind(call.reply.error_kind or "server")
        if kind is None or kind in of_no_use:
            return call, value
        if recorded is None:
            await tape.settle()
            raise UnitFault(f"{place[0]} {place[1]}: {call.reply.error}", kind)
    raise AssertionError("places never end")


def unread(call: Call, reply: type[R]) -> Call:
    """The call, marked as invalid where it brought a text, which then does not have the shape of ``reply``."""
    if call.reply.text is None:
        return call
    shown = call.reply.text.strip()[:80] or "an empty reply"
    why = f"not a valid {reply.__name__}: {shown}"
    return call.model_copy(
        update={"reply": call.reply.model_copy(update={"error_kind": ErrorKind.INVALID.value, "error": why})}
    )


def parsed(text: str, reply: type[R]) -> R | None:
    """The last JSON object in ``text`` that has the shape of ``reply``, thoughts left aside; None if there is none."""
    said = text.rpartition("</think>")[2]
    try:
        return reply.model_validate_json(said)  # most replies are the object and nothing beside it
    except ValueError:
        pass
    found, at = None, said.find("{")
    for _ in range(MOST_OBJECTS):
        if at < 0:
            break
        try:
            value, end = JSONDecoder().raw_decode(said, at)
            found = reply.model_validate_json(json.dumps(value))
        except (ValueError, RecursionError):  # not JSON, or another shape: pydantic's ValidationError is a ValueError
            end = at + 1
        at = said.find("{", end)
    return found
