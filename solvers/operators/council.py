"""The manager's seat: asks its model on behalf of operators, keeps every call, falls back where replies are of no use.

Each consultation has a tape of its own, which hangs on nothing but its payload: so parallel ones do not mix, and a
search that goes on finds each recorded reply where it left it.
"""

import hashlib
import json
from itertools import count

from actors.ask import next_reply
from actors.channel import Channel
from actors.errors import ErrorKind
from actors.model import Model
from actors.prompt import Request, prompt_hash
from actors.recorded import Call, Recorded
from actors.replay import Tape
from solvers.operators.operator import ATTEMPTS, Consulted, Operator, Payload, R

OF_NO_USE = {ErrorKind.INVALID, ErrorKind.FILTERED, ErrorKind.CONTEXT}
TEMPERATURE = 1.0


class Council:
    """The consultations of one search. draws: what their sampling seeds hang on; None is the unit."""

    def __init__(
        self,
        unit: str,
        model: Model,
        recorded: Recorded,
        channel: Channel | None,
        life: int = 0,
        draws: str | None = None,
    ) -> None:
        self._unit, self._draws = unit, draws
        self._model = model
        self._recorded = recorded
        self._channel, self._life = channel, life
        self._tapes: list[Tape] = []

    async def __call__(self, operator: Operator[R], payload: Payload, part: str) -> Consulted[R]:
        """See `Consult`."""
        tape = Tape.of(self._unit, part, self._recorded, self._channel, self._life, self._draws)
        self._tapes.append(tape)
        said = json.dumps([operator.name, prompt_hash(operator.name), dict(payload)], sort_keys=True)
        tape.begin(hashlib.sha256(said.encode()).hexdigest())
        mistake = ""
        places = ((operator.name, 0, attempt) for attempt in count())
        for tried in range(ATTEMPTS):
            values, seed = {**payload, "mistake": mistake}, tape.seed(operator.name, 0, tried)
            request = Request(operator.name, values, operator.reply, TEMPERATURE, seed=seed)
            call, reply = await next_reply(tape, self._model, request, operator.reply, places, OF_NO_USE)
            mistake = str(call.reply.error) if reply is None else operator.problem(reply, payload)
            if reply is not None and not mistake:
                await tape.settle()
                return Consulted(reply, fallback=False)
        await tape.settle()
        return Consulted(operator.fallback(payload), fallback=True, problem=mistake)

    @property
    def calls(self) -> list[Call]:
        """All calls, of every consultation in the order in which they began."""
        return [call for tape in self._tapes for call in tape.calls]
