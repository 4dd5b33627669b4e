"""The pooled game: several models propose a question from one history, one picks (questioning game, section 5)."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from actors.answerer import Answerer, AnswererOf, answer
from actors.ask import ask
from actors.channel import Channel
from actors.desk import Desk
from actors.dialogue import Flag, Pick, Turn, pick_reply, pick_view
from actors.game import Opposite
from actors.gateway import Corpus, open_model
from actors.inquisitor import Inquisitor, Strategy, plain
from actors.model import Spec
from actors.paper import Problem
from actors.pool import Pool
from actors.prompt import Request
from actors.record import Outcome, Record, recording
from actors.recorded import Recorded
from actors.replay import Tape
from actors.row import Row

ATTEMPTS = 3


class Selection(StrEnum):
    """How one of the proposals becomes the question."""

    MODEL = "model"  # the selector says which
    RANDOM = "random"  # it is drawn; the selector writes the cards alone
    BEST_OF = "best_of"  # the selector says which, and all proposals are its own


class PooledPlan(Row):
    """All that a pooled game needs to know beside its paper.

    proposers: names of models, the selector's own as often as there are proposals for best_of. selector: who picks and
    writes the cards, or writes the cards of a random pick.
    """

    unit: str
    paper: str
    proposers: tuple[str, ...]
    selection: Selection
    selector: str
    questions: int
    card_every: int


class Proposal(NamedTuple):
    """A question that stands to be picked."""

    proposer: str
    question: str
    flags: tuple[str, ...]
    samples: int


class PooledGames:
    """Several models at one table, by name: many pooled games at once."""

    def __init__(
        self,
        specs: Mapping[str, Spec],
        corpus: Corpus,
        answerer: Spec,
        strategy: Strategy,
        answerers: Pool[Answerer] | None,
        desk: Pool[Desk],
        delay: float,
    ) -> None:
        self._channel = channel = Channel(desk, delay)
        self._seats = {
            name: Inquisitor(open_model(spec, corpus, channel.gate(spec), channel.again), strategy)
            for name, spec in specs.items()
        }
        self._papers = corpus.papers
        self._opposite = Opposite(answerer, corpus, answerers, desk, delay)

    async def play(self, plan: PooledPlan, recorded: Recorded, life: int = 0) -> Record:
        """Play a pooled game to its end, from wherever it stopped."""
        tape = Tape.of(plan.unit, "", recorded, self._channel, life)
        async with recording(tape) as outcome:
            await self._turns(plan, tape, outcome, self._opposite.of(plan.paper))
        return outcome.record

    async def _turns(self, plan: PooledPlan, tape: Tape, outcome: Outcome, answerer: AnswererOf) -> None:
        problem, writer = self._papers[plan.paper].problem, self._seats[plan.selector]
        history: list[Turn] = []
        outcome.add("cards", await writer.write_card(tape, problem, history))
        for t in range(1, plan.questions + 1):
            proposals = await self._proposals(plan, tape, problem, history)
            chosen = await self._chosen(plan, tape, problem, history, [each.question for each in proposals])
            for place, (proposer, question, _, _) in enumerate(proposals):
                row = Pick(t=t, position=place + 1, proposer=proposer, question=question, chosen=place == chosen)
                outcome.add("picks", row)
            _, question, flags, samples = proposals[chosen]
            said = await answer(tape, answerer, question, t)
            history.append(Turn(t=t, question=question, answer=said, flags=tuple(map(Flag, flags))))
            outcome.add("turns", history[-1], samples=samples)
            if t % plan.card_every == 0 or t == plan.questions:
                outcome.add("cards", await writer.write_card(tape, problem, history))

    async def _proposals(
        self, plan: PooledPlan, tape: Tape, problem: Problem, history: Sequence[Turn]
    ) -> list[Proposal]:
        """One from each proposer, in an order that is drawn; two alike stay two."""
        asked_before = {plain(turn.question) for turn in history}
        t = len(history) + 1
        found = []
        for number, name in enumerate(plan.proposers, 1):
            seat = f"proposal-{number}"
            asked = await self._seats[name].ask(tape, problem, None, history, plan.questions, asked_before, seat)
            found.append(Proposal(name, asked.reply.question, asked.flags, asked.samples))
        drawn = {place: tape.seed("order", t, place) for place in range(len(found))}
        return [found[place] for place in sorted(drawn, key=lambda place: drawn[place])]

    async def _chosen(
        self, plan: PooledPlan, tape: Tape, problem: Problem, history: Sequence[Turn], proposals: Sequence[str]
    ) -> int:
        """Which proposal is asked, from 0. UnitFault where the selector names none."""
        t = len(history) + 1
        if plan.selection is Selection.RANDOM:
            return tape.seed("pick", t, 0) % len(proposals)
        selector, reply = self._seats[plan.selector], pick_reply(len(proposals))
        view = pick_view(problem, history, proposals)
        request = Request("pick", view, reply, selector.strategy.temperature)
        asked = await ask(tape, selector.model, request, reply, "pick", t, ATTEMPTS)
        return asked.reply.position - 1
