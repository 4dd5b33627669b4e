"""The scripted players behind the same one method as every other model."""

from collections.abc import Callable, Iterable, Mapping
from time import perf_counter
from typing import Any

from actors.amount import Amount
from actors.annotation import CardMentionReply, RecognitionReply, lines_reply, mentions_reply, parents_reply
from actors.dialogue import AnswerReply, CandidatesReply, PickReply, QuestionReply
from actors.errors import BadInput
from actors.model import Persona, Reply, Spec
from actors.paper import Problem, Solution
from actors.prompt import Request
from actors.row import Row
from actors.scripted.annotator import Annotator
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
        self._seats: dict[str, Callable[[Mapping[str, Any], int], Row]] = {
            "question": self._question,
            "card": self._card,
            "answer": self._answer,
            "rating": self._rating,
            "pick": self._pick,
            "candidates": self._candidates,
            "recognition": self._recognition,
            "mentions": self._mentions,
            "card_mention": self._card_mention,
            "lines": self._lines,
            "parents": self._parents,
        }
        self._most = spec.most(0)

    async def complete(self, request: Request) -> Reply:
        """One reply; a prompt or a paper that has no world is a KeyError."""
        start = perf_counter()
        text = self._seats[request.prompt](request.values, request.seed).model_dump_json()
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

    def _question(self, values: Mapping[str, Any], seed: int) -> Row:
        context = values["context"] if self.persona.reads else None
        return QuestionReply(question=self.player(values["problem"]).ask(context, values["history"], seed))

    def _card(self, values: Mapping[str, Any], seed: int) -> Row:
        return self.player(values["problem"]).card(values["history"], seed)

    def _answer(self, values: Mapping[str, Any], seed: int) -> Row:
        world = self.by_solution[values["solution"]]
        return AnswerReply(answer=answer(self.spec.name, self.persona, world, values["question"], seed))

    def _rating(self, values: Mapping[str, Any], seed: int) -> Row:
        return rate(self.spec.name, self.persona, self.by_problem[values["problem"]], values["card"], seed)

    def _pick(self, values: Mapping[str, Any], seed: int) -> Row:
        player = self.player(values["problem"])
        return PickReply(position=player.pick(values["history"], values["proposals"], seed))

    def _candidates(self, values: Mapping[str, Any], seed: int) -> Row:
        found = self.player(values["problem"]).candidates(values["candidates"], seed)
        return CandidatesReply(candidates=tuple(found))

    def _annotator(self, seed: int) -> Annotator:
        return Annotator(self.spec.name, self.persona, seed)

    def _recognition(self, values: Mapping[str, Any], seed: int) -> Row:
        world = self.by_solution[values["solution"]]
        found = self._annotator(seed).recognise(world, values["candidates"])
        why = f"Candidate {found} names the core technique." if found else "No candidate names the core technique."
        return RecognitionReply(rationale=why, candidate=found)

    def _mentions(self, values: Mapping[str, Any], seed: int) -> Row:
        questions = values["questions"]
        marks = self._annotator(seed).mentions(values["core"], values["decoy"], questions)
        return mentions_reply([number for number, _ in questions])(**marks)

    def _card_mention(self, values: Mapping[str, Any], seed: int) -> Row:
        return CardMentionReply(states=self._annotator(seed).states(values["core"], values["decoy"], values["card"]))

    def _lines(self, values: Mapping[str, Any], seed: int) -> Row:
        questions, dimensions = values["questions"], values["dimensions"]
        last = dimensions[-1].lines[-1].number
        marks = self._annotator(seed).lines(dimensions, questions)
        return lines_reply([number for number, _ in questions], last)(**marks)

    def _parents(self, values: Mapping[str, Any], seed: int) -> Row:
        world, wanted = self.by_problem[values["problem"]], values["wanted"]
        return parents_reply(wanted)(**self._annotator(seed).parents(world, values["questions"], wanted))
