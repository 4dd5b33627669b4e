"""One judge's ratings of one game: a stage of its own, so that another panel never touches a game."""

from actors.channel import Channel
from actors.desk import Desk
from actors.dialogue import Card
from actors.errors import ErrorKind, UnitFault
from actors.gateway import Corpus, open_model
from actors.judge import Judge
from actors.model import Spec
from actors.pool import Pool
from actors.record import Record, recording
from actors.recorded import Recorded
from actors.replay import Tape


class Judgings:
    """A judge at work: the cards of many games at once."""

    def __init__(self, spec: Spec, corpus: Corpus, desk: Pool[Desk], delay: float) -> None:
        self._channel = Channel(desk, delay)
        self._judge = Judge(open_model(spec, corpus, self._channel.gate(spec), self._channel.again))
        self._papers = corpus.papers

    async def rate(
        self, unit: str, game: str, game_digest: str, paper: str, cards: list[Card], recorded: Recorded, life: int = 0
    ) -> Record:
        """Rate every card of a game. Cards that stay without a score leave the unit open for another round."""
        tape = Tape.of(unit, "", recorded, self._channel, life)
        async with recording(tape, game, game_digest) as outcome:
            missing = 0
            for card in cards:
                tape.begin(card.model_dump_json())
                rating = await self._judge.rate(tape, self._papers[paper], card)
                outcome.add("ratings", rating)
                missing += rating.score is None
            if missing:
                raise UnitFault(f"{missing} of {len(cards)} cards have no rating", ErrorKind.RATING)
        return outcome.record
