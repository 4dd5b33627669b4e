"""Readings of stored games: what annotators mark in them, and what candidate answerers would have said (section 5).

Each is a unit of its own, made from a stored game whose record it names, as judgings are.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from actors.annotation import SecondAnswer
from actors.annotator import Annotator
from actors.answerer import Answerer, AnswererOf, answer, evidence_bytes
from actors.channel import Channel
from actors.desk import Desk
from actors.dialogue import Answer, Card, Turn
from actors.errors import ErrorKind, UnitFault
from actors.gateway import Corpus, open_model
from actors.judge import UNUSABLE
from actors.model import Spec
from actors.pool import LocalPool, Pool
from actors.record import Outcome, Record, recording
from actors.recorded import Recorded
from actors.replay import Tape
from actors.row import Row
from actors.survey import Condition

R = TypeVar("R", bound=Row)


class Readings:
    """A model that reads: many stored games at once.

    Every method takes the reading's unit, the unit that is read and its record's digest, the paper, what is read, what
    is recorded of the reading, and how many actors it has lost. batch: how many questions go into one request. A row
    without a value is one for which no valid reply came: it leaves the unit open for another round, as a missing rating
    does; in a tree it is a result.
    """

    def __init__(self, spec: Spec, corpus: Corpus, desk: Pool[Desk], delay: float) -> None:
        self._channel = Channel(desk, delay)
        self._annotator = Annotator(open_model(spec, corpus, self._channel.gate(spec), self._channel.again))
        self._papers = corpus.papers
        self._surveys = corpus.surveys
        self._answerers = LocalPool(Answerer(self._annotator.model, corpus.papers))

    async def recognise(
        self,
        unit: str,
        game: str,
        game_digest: str,
        paper: str,
        candidates: Sequence[str],
        recorded: Recorded,
        life: int = 0,
    ) -> Record:
        """Whether a probe's candidates, all lists joined, hold the core idea: one row of ``recognitions``."""
        tape, survey = Tape.of(unit, "", recorded, self._channel, life), self._surveys.get(paper)
        async with recording(tape, game, game_digest) as outcome:
            core = None if survey is None else survey.core
            found = await self._annotator.recognise(tape, self._papers[paper].solution, core, candidates)
            outcome.add("recognitions", found)
            complete([found.listed])
        return outcome.record

    async def mentions(
        self,
        unit: str,
        game: str,
        game_digest: str,
        paper: str,
        turns: Sequence[Turn],
        card: Card,
        batch: int,
        recorded: Recorded,
        life: int = 0,
    ) -> Record:
        """Which questions refer to core and decoy, and whether the final card states them: rows of ``mentions``."""
        tape, survey, found = Tape.of(unit, "", recorded, self._channel, life), self._surveys[paper], []
        async with recording(tape, game, game_digest) as outcome:
            for some in batches(turns, batch):
                found += kept(outcome, "mentions", await self._annotator.mentions(tape, survey, some))
            found += kept(outcome, "mentions", [await self._annotator.card_mention(tape, survey, card)])
            complete(mention.core for mention in found)
        return outcome.record

    async def lines(
        self,
        unit: str,
        game: str,
        game_digest: str,
        paper: str,
        condition: Condition,
        turns: Sequence[Turn],
        batch: int,
        recorded: Recorded,
        life: int = 0,
    ) -> Record:
        """Which line of the survey that the game's player read each question asks about: rows of ``lines``."""
        tape, found = Tape.of(unit, "", recorded, self._channel, life), []
        async with recording(tape, game, game_digest) as outcome:
            for some in batches(turns, batch):
                found += kept(
                    outcome, "lines", await self._annotator.lines(tape, self._surveys[paper], condition, some)
                )
            complete(mark.line for mark in found)
        return outcome.record

    async def tree(
        self,
        unit: str,
        game: str,
        game_digest: str,
        paper: str,
        turns: Sequence[Turn],
        batch: int,
        recorded: Recorded,
        life: int = 0,
    ) -> Record:
        """What each question follows from: rows of ``parents``."""
        tape = Tape.of(unit, "", recorded, self._channel, life)
        async with recording(tape, game, game_digest) as outcome:
            for some in batches(turns, batch):
                shown = [turn for turn in turns if turn.t <= some[-1].t]
                problem = self._papers[paper].problem
                kept(outcome, "parents", await self._annotator.parents(tape, problem, shown, len(some)))
        return outcome.record

    async def answers(
        self,
        unit: str,
        game: str,
        game_digest: str,
        paper: str,
        turns: Sequence[Turn],
        recorded: Recorded,
        life: int = 0,
    ) -> Record:
        """What this model says to the stored questions, on the answerer's evidence and prompt: rows of ``answers``."""
        tape, spec = Tape.of(unit, "", recorded, self._channel, life), self._annotator.model.spec
        evidence = evidence_bytes(self._papers[paper], spec.context_tokens)
        answerer, found = AnswererOf(spec, self._answerers, paper, evidence=evidence), []
        async with recording(tape, game, game_digest) as outcome:
            for turn in turns:
                tape.begin(f"{turn.t} {turn.question}")
                said = await answer_or_none(tape, answerer, turn)
                found += kept(outcome, "answers", [SecondAnswer(t=turn.t, answer=said)])
            complete(row.answer for row in found)
        return outcome.record


async def answer_or_none(tape: Tape, answerer: AnswererOf, turn: Turn) -> Answer | None:
    """The answer to a stored question; None where no valid one came."""
    try:
        return await answer(tape, answerer, turn.question, turn.t)
    except UnitFault as fault:
        if fault.kind in UNUSABLE:
            return None
        raise


def kept(outcome: Outcome, table: str, rows: list[R]) -> list[R]:
    """The rows, which are in the record now, whatever comes after."""
    for row in rows:
        outcome.add(table, row)
    return rows


def batches(turns: Sequence[Turn], size: int) -> Iterator[Sequence[Turn]]:
    """The turns, ``size`` at a time."""
    return (turns[start : start + size] for start in range(0, len(turns), size))


def complete(values: Iterable[object]) -> None:
    """UnitFault where one of the values is missing."""
    found = list(values)
    if missing := sum(value is None for value in found):
        raise UnitFault(f"{missing} of {len(found)} have no valid reply", ErrorKind.READING)
