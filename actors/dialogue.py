"""What is said in a game, stored once and neutral, and what each seat may see of it (questioning game, section 2)."""

from collections.abc import Sequence
from enum import StrEnum
from functools import cache
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints, create_model

from actors.paper import Problem, Solution
from actors.row import Row


class Answer(StrEnum):
    """The three things an answerer may say."""

    YES = "YES"
    NO = "NO"
    UNKNOWN = "UNKNOWN"


class Flag(StrEnum):
    """A rule that a question breaks; it was asked again twice and then kept as it is."""

    EMPTY = "empty"
    COMPOUND = "compound"
    NOT_YES_NO = "not_yes_no"
    REPEAT = "repeat"


class Turn(Row):
    """One question and its answer; ``t`` counts from 1."""

    t: int
    question: str
    answer: Answer
    flags: tuple[Flag, ...] = ()


class Card(Row):
    """The inquisitor's idea after ``t`` questions, with its confidence in 0-100."""

    t: int
    contribution: str
    approach: str
    components: tuple[str, ...]
    novelty: str
    confidence: int


class Pick(Row):
    """One proposal for question ``t`` of a pooled game; ``position`` counts from 1 in the list that was seen."""

    t: int
    position: int
    proposer: str
    question: str
    chosen: bool


class Candidate(Row):
    """One candidate solution of a closed-book probe: ``number`` counts from 1 in list ``sample``, that from 0."""

    sample: int
    number: int
    idea: str


class Rating(Row):
    """One judge's 1-10 for one card; ``score`` is None where no valid rating came."""

    t: int
    score: int | None
    rationale: str | None


def printable(text: str) -> str:
    """The text in one line, without control characters: it goes to terminals, pages and tables."""
    if not text.isprintable():
        text = "".join(c if c.isprintable() else " " for c in text)
    return " ".join(text.split())


Line = Annotated[str, AfterValidator(printable), StringConstraints(max_length=2000)]
Said = Annotated[str, AfterValidator(printable), StringConstraints(min_length=1)]


class QuestionReply(Row):
    """What the inquisitor sends when asked for a question; an empty one is flagged, not refused."""

    question: Line


class AnswerReply(Row):
    """What the answerer sends."""

    answer: Annotated[Answer, BeforeValidator(lambda said: said.strip().upper() if isinstance(said, str) else said)]


class CardReply(Row):
    """What the inquisitor sends when asked for its idea."""

    contribution: Said
    approach: Said
    components: Annotated[tuple[Said, ...], Field(min_length=1, max_length=8)]
    novelty: Said
    confidence: Annotated[int, Field(ge=0, le=100)]


class RatingReply(Row):
    """What a judge sends: the reason first, then the number."""

    rationale: Said
    score: Annotated[int, Field(ge=1, le=10)]


class PickReply(Row):
    """What a selector sends: a place in the list, from 1."""

    position: int


class CandidatesReply(Row):
    """What a probed model sends: candidate solutions."""

    candidates: tuple[Said, ...]


@cache
def pick_reply(proposals: int) -> type[PickReply]:
    """A `PickReply` that names one of so many proposals."""
    position: Any = (Annotated[int, Field(ge=1, le=proposals)], ...)
    return create_model("PickReply", __base__=PickReply, position=position)


@cache
def candidates_reply(candidates: int) -> type[CandidatesReply]:
    """A `CandidatesReply` that holds exactly so many."""
    listed: Any = (Annotated[tuple[Said, ...], Field(min_length=candidates, max_length=candidates)], ...)
    return create_model("CandidatesReply", __base__=CandidatesReply, candidates=listed)


def question_view(
    problem: Problem, context: str | None, history: Sequence[Turn], instruction: str, questions: int | None
) -> dict[str, object]:
    """All that a question prompt may hold; ``questions`` is T where the player is told the turn, else None."""
    return {
        "problem": problem,
        "context": context,
        "history": history,
        "instruction": instruction,
        "turn": len(history) + 1,
        "questions": questions,
    }


def card_view(problem: Problem, history: Sequence[Turn]) -> dict[str, object]:
    """All that a card prompt may hold: the survey is not in it."""
    return {"problem": problem, "history": history}


def answer_view(solution: Solution, abstract: str, text: str, question: str) -> dict[str, object]:
    """All that an answer prompt may hold: the answerer has no memory of earlier questions."""
    return {"solution": solution, "abstract": abstract, "text": text, "question": question}


def rating_view(problem: Problem, solution: Solution, card: Card) -> dict[str, object]:
    """All that a rating prompt may hold: the player's confidence and the turn are not in it."""
    return {"problem": problem, "solution": solution, "card": card.model_dump(exclude={"confidence", "t"})}


def pick_view(problem: Problem, history: Sequence[Turn], proposals: Sequence[str]) -> dict[str, object]:
    """All that a pick prompt may hold: who proposed what is not in it."""
    return {"problem": problem, "history": history, "proposals": proposals}


def candidates_view(problem: Problem, candidates: int) -> dict[str, object]:
    """All that a closed-book probe may hold: the problem, and how many candidates are wanted."""
    return {"problem": problem, "candidates": candidates}
