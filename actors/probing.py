"""The closed-book probe: what a model proposes from the problem alone (questioning game, section 5)."""

from actors.ask import ask
from actors.channel import Channel
from actors.desk import Desk
from actors.dialogue import Candidate, candidates_reply, candidates_view
from actors.gateway import Corpus, open_model
from actors.inquisitor import Strategy
from actors.model import Spec
from actors.pool import Pool
from actors.prompt import Request
from actors.record import Record, recording
from actors.recorded import Recorded
from actors.replay import Tape

ATTEMPTS = 3


class Probes:
    """A model that is probed, at an inquisitor's temperature."""

    def __init__(self, spec: Spec, corpus: Corpus, strategy: Strategy, desk: Pool[Desk], delay: float) -> None:
        self._channel = Channel(desk, delay)
        self._model = open_model(spec, corpus, self._channel.gate(spec), self._channel.again)
        self._temperature = strategy.temperature
        self._papers = corpus.papers

    async def probe(
        self, unit: str, paper: str, candidates: int, samples: int, recorded: Recorded, life: int = 0
    ) -> Record:
        """Ask for a list of ``candidates`` solutions, ``samples`` times over; no list is told of another."""
        tape = Tape.of(unit, "", recorded, self._channel, life)
        reply = candidates_reply(candidates)
        view = candidates_view(self._papers[paper].problem, candidates)
        async with recording(tape) as outcome:
            for sample in range(samples):
                request = Request("candidates", view, reply, self._temperature)
                asked = await ask(tape, self._model, request, reply, "candidates", sample, ATTEMPTS)
                for number, idea in enumerate(asked.reply.candidates, 1):
                    outcome.add("candidates", Candidate(sample=sample, number=number, idea=idea))
        return outcome.record
