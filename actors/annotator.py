"""The annotator: marks what it reads in a stored game (questioning game, section 5).

What brings no valid reply is a row without a value. UnitFault is left for an endpoint that is in trouble.
"""

import json
from collections.abc import Sequence
from typing import Any, TypeVar

from actors.annotation import (
    BatchReply,
    CardMentionReply,
    LineMark,
    Mention,
    Parent,
    Place,
    Recognition,
    card_mention_view,
    lines_reply,
    lines_view,
    mentions_reply,
    mentions_view,
    parents_reply,
    parents_view,
    recognition_reply,
    recognition_view,
)
from actors.ask import ask
from actors.dialogue import Card, Turn
from actors.errors import UnitFault
from actors.judge import UNUSABLE
from actors.model import Model
from actors.paper import Problem, Solution
from actors.prompt import Request
from actors.replay import Tape
from actors.row import Row
from actors.survey import Condition, Survey

ATTEMPTS = 3
R = TypeVar("R", bound=Row)
View = dict[str, object]


class Annotator:
    """One model in an annotator's seat, at temperature 0."""

    def __init__(self, model: Model) -> None:
        self.model = model

    async def recognise(
        self, tape: Tape, solution: Solution, core: str | None, candidates: Sequence[str]
    ) -> Recognition:
        """Whether one of the candidates is the core idea."""
        view = recognition_view(solution, core, candidates)
        said = await self._said(tape, "recognition", 0, view, recognition_reply(len(candidates)))
        if said is None:
            return Recognition(listed=None, candidate=None, rationale=None)
        return Recognition(listed=said.candidate > 0, candidate=said.candidate or None, rationale=said.rationale)

    async def mentions(self, tape: Tape, survey: Survey, turns: Sequence[Turn]) -> list[Mention]:
        """Which of the two phrases each question of a batch refers to."""
        view = mentions_view(survey.core, survey.decoy, turns)
        marks = await self._marks(tape, "mentions", turns, view, mentions_reply(numbers(turns)))
        found = [(turn.t, marks.get(turn.t)) for turn in turns]
        return [
            Mention(place=Place.QUESTION, t=t, core=which and which.core, decoy=which and which.decoy)
            for t, which in found
        ]

    async def card_mention(self, tape: Tape, survey: Survey, card: Card) -> Mention:
        """Which of the two phrases a card states."""
        view = card_mention_view(survey.core, survey.decoy, card)
        said = await self._said(tape, "card_mention", card.t, view, CardMentionReply)
        states = said and said.states
        return Mention(place=Place.CARD, t=card.t, core=states and states.core, decoy=states and states.decoy)

    async def lines(self, tape: Tape, survey: Survey, condition: Condition, turns: Sequence[Turn]) -> list[LineMark]:
        """Which line of one version of the survey each question of a batch asks about."""
        version = survey.versions[condition]
        inserted, of = inserted_line(survey, condition), sum(len(each.lines) for each in version.dimensions)
        marks = await self._marks(tape, "lines", turns, lines_view(version, turns), lines_reply(numbers(turns), of))
        return [LineMark(t=turn.t, line=marks.get(turn.t), inserted=inserted, of=of) for turn in turns]

    async def parents(self, tape: Tape, problem: Problem, turns: Sequence[Turn], batch: int) -> list[Parent]:
        """What each of the last questions follows from, ``batch`` of them at most.

        What is missing or not valid is asked for once more, by itself.
        """
        wanted = numbers(turns)[-batch:]
        first = await self._parents(tape, "parents", problem, turns, wanted)
        left = [t for t in wanted if t not in first]
        second = await self._parents(tape, "repair", problem, turns, left) if left else {}
        return [Parent(t=t, parent=first.get(t, second.get(t)), repaired=t in second) for t in wanted]

    async def _parents(
        self, tape: Tape, seat: str, problem: Problem, shown: Sequence[Turn], wanted: Sequence[int]
    ) -> dict[int, int]:
        """The parents named for the wanted questions, so far as they are valid: the problem, or one shown before."""
        view = parents_view(problem, shown, wanted)
        said = await self._said(tape, "parents", wanted[0], view, parents_reply(wanted), 1, seat)
        named = {} if said is None else said.by_number()
        known = {0, *numbers(shown)}
        return {t: parent for t, parent in named.items() if type(parent) is int and parent in known and parent < t}

    async def _marks(
        self, tape: Tape, prompt: str, turns: Sequence[Turn], view: View, reply: type[BatchReply]
    ) -> dict[int, Any]:
        """What is said of each question of a batch; of none where nothing valid came."""
        said = await self._said(tape, prompt, turns[0].t, view, reply)
        return {} if said is None else said.by_number()

    async def _said(
        self,
        tape: Tape,
        prompt: str,
        turn: int,
        view: View,
        reply: type[R],
        attempts: int = ATTEMPTS,
        seat: str | None = None,
    ) -> R | None:
        """One reply to one prompt, which hangs on no other; None where no attempt gave a valid one."""
        tape.begin(json.dumps(view, default=lambda row: row.model_dump(mode="json")))
        request = Request(prompt, view, reply, temperature=0.0)
        try:
            asked = await ask(tape, self.model, request, reply, seat or prompt, turn, attempts)
        except UnitFault as fault:
            if fault.kind in UNUSABLE:
                return None
            raise
        return asked.reply


def numbers(turns: Sequence[Turn]) -> list[int]:
    """The turns' numbers."""
    return [turn.t for turn in turns]


def inserted_line(survey: Survey, condition: Condition) -> int:
    """The line, counted from 1, that names the core under full, and the decoy otherwise."""
    phrase = survey.core if condition is Condition.FULL else survey.decoy
    lines = [str(line) for dimension in survey.versions[condition].dimensions for line in dimension.lines]
    return next(number for number, line in enumerate(lines, 1) if phrase.casefold() in line.casefold())
