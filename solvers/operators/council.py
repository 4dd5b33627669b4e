"""The manager's seat: asks its model on behalf of operators, keeps every call, falls back where replies are of no use.

Each consultation has a tape of its own, which hangs on nothing but its payload: so parallel ones do not mix, and a
search that goes on finds each recorded reply where it left it.
"""

import hashlib
import json
from itertools import count

from actors.ask import parsed, unread
from actors.channel import Channel
from actors.errors import ErrorKind, UnitFault
from actors.model import Model
from actors.prompt import Request, prompt_hash
from actors.recorded import Call, Recorded
from actors.replay import Tape
from solvers.operators.operator import ATTEMPTS, Consulted, Operator, Payload, R

OF_NO_USE = {ErrorKind.INVALID, ErrorKind.FILTERED, ErrorKind.CONTEXT}
TEMPERATURE = 1.0


class Council:
    """The consultations of one search."""

    def __init__(self, unit: str, model: Model, recorded: Recorded, channel: Channel | None, life: int = 0) -> None:
        self._unit = unit
        self._model = model
        self._recorded = recorded
        self._channel, self._life = channel, life
        self._tapes: list[Tape] = []

    async def __call__(self, operator: Operator[R], payload: Payload, part: str) -> Consulted[R]:
        """See `Consult`."""
        tape = Tape.of(self._unit, part, self._recorded, self._channel, self._life)
        self._tapes.append(tape)
        said = json.dumps([operator.name, prompt_hash(operator.name), dict(payload)], sort_keys=True)
        tape.begin(hashlib.sha256(said.encode()).hexdigest())
        mistake, tried = "", 0
        for attempt in count():
            call, replayed = await self._said(tape, operator, {**payload, "mistake": mistake}, attempt)
            value = None if call.reply.text is None else parsed(call.reply.text, operator.reply)
            if not replayed:
                call = call if value is not None else unread(call, operator.reply)
                tape.add(call)
            if call.reply.text is None and ErrorKind(call.reply.error_kind or "server") not in OF_NO_USE:
                if replayed:  # it failed in an earlier life of the unit: that may have passed
                    continue
                await tape.settle()
                raise UnitFault(f"{operator.name}: {call.reply.error}", ErrorKind(call.reply.error_kind or "server"))
            mistake = operator.problem(value, payload) if value is not None else str(call.reply.error)
            if value is not None and not mistake:
                await tape.settle()
                return Consulted(value, fallback=False)
            tried += 1
            if tried == ATTEMPTS:
                break
        await tape.settle()
        return Consulted(operator.fallback(payload), fallback=True, problem=mistake)

    async def _said(self, tape: Tape, operator: Operator[R], values: Payload, attempt: int) -> tuple[Call, bool]:
        """The recorded call, or a new one; and which of them it is."""
        if (call := tape.replay(operator.name, 0, attempt)) is not None:
            return call, True
        seed = tape.seed(operator.name, 0, attempt)
        request = Request(operator.name, values, operator.reply, TEMPERATURE, seed=seed, unit=tape.unit)
        return await tape.make(self._model, request, operator.name, 0, attempt), False

    @property
    def calls(self) -> list[Call]:
        """All calls, of every consultation in the order in which they began."""
        return [call for tape in self._tapes for call in tape.calls]
