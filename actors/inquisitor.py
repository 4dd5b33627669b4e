"""The inquisitor: sees the problem, asks, and writes down its idea (questioning game, section 2)."""

import re
from collections.abc import Sequence, Set
from typing import Annotated

from pydantic import Field

from actors.ask import Asked, ask
from actors.dialogue import Card, CardReply, Flag, QuestionReply, Turn, card_view, question_view
from actors.model import Model
from actors.paper import Problem
from actors.prompt import Request
from actors.replay import Tape
from actors.row import Row

SAMPLES = 3  # a question that breaks a rule is sampled again at most twice
CARD_ATTEMPTS = 3
OPENERS = (
    "is are was were be am do does did has have had can could may might must shall should will would "
    "isn't aren't wasn't weren't doesn't don't didn't hasn't haven't can't couldn't won't wouldn't shouldn't"
).split()
OPEN_WORDS = "what which who whom whose when where why how".split()
SUBJECTS = "it they he she we this that these those there the a an its their any each all".split()
SECOND_QUESTION = re.compile(
    rf"\b(?:and|or)\s+(?:(?:{'|'.join(OPENERS)})\s+(?:{'|'.join(SUBJECTS)})|{'|'.join(OPEN_WORDS)})\b", re.IGNORECASE
)


class Strategy(Row):
    """How the inquisitor is told to ask (conf/strategy/): ``turn_aware`` says "question t of T"."""

    name: str
    instruction: str = ""
    turn_aware: bool = False
    temperature: Annotated[float, Field(ge=0, le=5)] = 1.0


class Inquisitor:
    """One model in the inquisitor's seat."""

    def __init__(self, model: Model, strategy: Strategy) -> None:
        self.model = model
        self.strategy = strategy

    async def ask(
        self,
        tape: Tape,
        problem: Problem,
        context: str | None,
        history: Sequence[Turn],
        questions: int,
        asked_before: Set[str],
        seat: str = "question",
    ) -> Asked[QuestionReply]:
        """The next question, with the rules it still breaks after three samples. asked_before: `plain` of history.

        seat: of its own for each of several who are asked for the same question.
        """
        told = questions if self.strategy.turn_aware else None
        view = question_view(problem, context, history, self.strategy.instruction, told)
        request = Request("question", view, QuestionReply, self.strategy.temperature)
        return await ask(
            tape,
            self.model,
            request,
            QuestionReply,
            seat,
            len(history) + 1,
            SAMPLES,
            lambda reply: broken_rules(reply.question, asked_before),
        )

    async def write_card(self, tape: Tape, problem: Problem, history: Sequence[Turn]) -> Card:
        """The idea as it stands; UnitFault if no valid card comes."""
        request = Request("card", card_view(problem, history), CardReply, self.strategy.temperature)
        asked = await ask(tape, self.model, request, CardReply, "card", len(history), CARD_ATTEMPTS)
        return Card(t=len(history), **asked.reply.model_dump())


def broken_rules(question: str, asked_before: Set[str]) -> list[Flag]:
    """Which rules a question breaks. A check of form, on English: it does not understand the question."""
    words = plain(question).split()
    if not words:
        return [Flag.EMPTY]
    flags = []
    # "In the solution, does ...?": a clause that begins like a yes/no question is one, whatever stands before it.
    clauses = [plain(clause).split()[:1] for clause in re.split("[,;:]", question)]
    first = next((word for word in words if word in OPENERS or word in OPEN_WORDS), None)
    yes_no = first in OPENERS or any(clause and clause[0] in OPENERS for clause in clauses)
    if not yes_no or "?" not in question:
        flags.append(Flag.NOT_YES_NO)
    if question.count("?") > 1 or SECOND_QUESTION.search(question):
        flags.append(Flag.COMPOUND)
    if plain(question) in asked_before:
        flags.append(Flag.REPEAT)
    return flags


def plain(text: str) -> str:
    """Lower case words without punctuation: two questions with the same plain text are the same."""
    return " ".join(re.findall(r"[\w']+", text.casefold()))
