"""A game: problem, questions, answers, and a card every so often (questioning game, section 2)."""

from actors.answerer import Answerer, AnswererOf, answer, evidence_bytes, open_answerer
from actors.channel import Channel
from actors.desk import Desk
from actors.dialogue import Flag, Turn
from actors.gateway import Corpus, open_model
from actors.inquisitor import Inquisitor, Strategy, plain
from actors.model import Spec
from actors.pool import LocalPool, Pool
from actors.record import Outcome, Record, recording
from actors.recorded import Recorded
from actors.replay import Tape
from actors.row import Row


class Plan(Row):
    """All that a game needs to know beside its paper. ``context`` is the survey's text, or None.

    history: turns of another game, ``source``, that this one goes on from, up to ``questions`` in all. They are neither
    asked nor recorded again, and no card is written where they end: the other game has one. source_digest: of the other
    game's record.
    """

    unit: str
    paper: str
    context: str | None
    questions: int
    card_every: int
    history: tuple[Turn, ...] = ()
    source: str | None = None
    source_digest: str | None = None


class Opposite:
    """Who answers: the answerers of a run, or one in the same place; each paper's questions go to one of them."""

    def __init__(
        self, spec: Spec, corpus: Corpus, answerers: Pool[Answerer] | None, desk: Pool[Desk], delay: float
    ) -> None:
        self._spec = spec
        self._papers = corpus.papers
        self._routes = {paper: number for number, paper in enumerate(corpus.papers)}
        self._answerers = answerers or LocalPool(open_answerer(spec, corpus, desk, delay))

    def of(self, paper: str) -> AnswererOf:
        """The answerer of one paper."""
        evidence = evidence_bytes(self._papers[paper], self._spec.context_tokens)
        return AnswererOf(self._spec, self._answerers, paper, self._routes[paper], evidence)


class Games:
    """An inquisitor at work: many games at once, each against the answerers, or an answerer in the same place."""

    def __init__(
        self,
        spec: Spec,
        corpus: Corpus,
        answerer: Spec,
        strategy: Strategy,
        answerers: Pool[Answerer] | None,
        desk: Pool[Desk],
        delay: float,
    ) -> None:
        self._channel = Channel(desk, delay)
        self._inquisitor = Inquisitor(open_model(spec, corpus, self._channel.gate(spec), self._channel.again), strategy)
        self._papers = corpus.papers
        self._opposite = Opposite(answerer, corpus, answerers, desk, delay)

    async def play(self, plan: Plan, recorded: Recorded, life: int = 0) -> Record:
        """Play a game to its end, from wherever it stopped. life: how many actors it has lost in this run."""
        tape = Tape.of(plan.unit, "", recorded, self._channel, life)
        async with recording(tape, plan.source, plan.source_digest) as outcome:
            await self._turns(plan, tape, outcome)
        return outcome.record

    async def _turns(self, plan: Plan, tape: Tape, outcome: Outcome) -> None:
        problem, answerer = self._papers[plan.paper].problem, self._opposite.of(plan.paper)
        history, asked_before = list(plan.history), {plain(turn.question) for turn in plan.history}
        if not history:
            outcome.add("cards", await self._inquisitor.write_card(tape, problem, history))
        for t in range(len(history) + 1, plan.questions + 1):
            asked = await self._inquisitor.ask(tape, problem, plan.context, history, plan.questions, asked_before)
            question = asked.reply.question
            said = await answer(tape, answerer, question, t)
            turn = Turn(t=t, question=question, answer=said, flags=tuple(map(Flag, asked.flags)))
            history.append(turn)
            asked_before.add(plain(question))
            outcome.add("turns", turn, samples=asked.samples)
            if t % plan.card_every == 0 or t == plan.questions:
                outcome.add("cards", await self._inquisitor.write_card(tape, problem, history))
