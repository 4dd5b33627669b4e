"""The scripted players behind the same one method as every other model."""

from collections.abc import Iterable, Mapping, Sequence
from time import perf_counter
from typing import cast

from actors.amount import Amount
from actors.dialogue import AnswerReply, QuestionReply, Turn
from actors.errors import BadInput
from actors.model import Persona, Reply, Spec
from actors.paper import Problem, Solution
from actors.prompt import Request
from actors.row import Row
from actors.scripted.answerer import answer
from actors.scripted.information import Reference
from actors.scripted.inquisitor import Player
from actors.scripted.judge import rate
from actors.scripted.world import World


class ScriptedModel:
    """Every seat of the game by rule: a reply hangs on the spec's name and persona, the world, and the request alone.

    It reads the request's values, never its words. Tokens are None, since none were made; the cost is zero.
    """

    def __init__(self, spec: Spec, worlds: Iterable[World]) -> None:
        self.spec = spec
        self.persona = spec.persona or Persona()
        known = list(worlds)
        self.by_problem: dict[Problem, World] = {world.problem: world for world in known}
        self.by_solution: dict[Solution, World] = {world.solution: world for world in known}
        if len(self.by_problem) < len(known) or len(self.by_solution) < len(known):
            raise BadInput("two papers share their problem or solution: a scripted model cannot tell them apart")
        self._players: dict[Problem, Player | Reference] = {}
        self._most = spec.most(0)

    async def complete(self, request: Request) -> Reply:
        """One reply; a prompt or a paper that has no world is a KeyError."""
        start = perf_counter()
        seat = {"question": self._question, "card": self._card, "answer": self._answer, "rating": self._rating}
        text = seat[request.prompt](request.values, request.seed).model_dump_json()
        return Reply(text=text, cost=0.0, latency=perf_counter() - start, finish_reason="stop")

    def ceiling(self, request: Request) -> Amount:
        """A request that costs nothing."""
        return self._most

    def player(self, problem: Problem) -> Player | Reference:
        """The inquisitor on one world; kept, since its knowledge is the same in all games."""
        if problem not in self._players:
            world = self.by_problem[problem]
            reference = self.persona.reference
            self._players[problem] = (
                Reference(self.spec.name, world) if reference else Player(self.spec.name, self.persona, world)
            )
        return self._players[problem]

    def _question(self, values: Mapping[str, object], seed: int) -> Row:
        context = cast(str | None, values["context"])
        history = cast(Sequence[Turn], values["history"])
        return QuestionReply(question=self.player(cast(Problem, values["problem"])).ask(context, history, seed))

    def _card(self, values: Mapping[str, object], seed: int) -> Row:
        history = cast(Sequence[Turn], values["history"])
        return self.player(cast(Problem, values["problem"])).card(history, seed)

    def _answer(self, values: Mapping[str, object], seed: int) -> Row:
        world = self.by_solution[cast(Solution, values["solution"])]
        question = cast(str, values["question"])
        return AnswerReply(answer=answer(self.spec.name, self.persona, world, question, seed))

    def _rating(self, values: Mapping[str, object], seed: int) -> Row:
        world = self.by_problem[cast(Problem, values["problem"])]
        card = cast(Mapping[str, object], values["card"])
        return rate(self.spec.name, self.persona, world, card, seed)
