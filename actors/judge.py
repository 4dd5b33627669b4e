"""The judge: rates how much of the solution a card recovers (questioning game, section 2)."""

from actors.ask import ask
from actors.dialogue import Card, Rating, RatingReply, rating_view
from actors.errors import ErrorKind, UnitFault
from actors.model import Model
from actors.paper import Paper
from actors.prompt import Request
from actors.replay import Tape

ATTEMPTS = 3
UNUSABLE = {ErrorKind.INVALID, ErrorKind.FILTERED}


class Judge:
    """One model in a judge's seat."""

    def __init__(self, model: Model) -> None:
        self.model = model

    async def rate(self, tape: Tape, paper: Paper, card: Card) -> Rating:
        """1-10, or no score where three attempts gave none; UnitFault where the endpoint is the trouble."""
        view = rating_view(paper.problem, paper.solution, card)
        request = Request("rating", view, RatingReply, temperature=0.0)
        try:
            asked = await ask(tape, self.model, request, RatingReply, "rating", card.t, ATTEMPTS)
        except UnitFault as fault:
            if fault.kind in UNUSABLE:
                return Rating(t=card.t, score=None, rationale=None)
            raise
        return Rating(t=card.t, score=asked.reply.score, rationale=asked.reply.rationale)
