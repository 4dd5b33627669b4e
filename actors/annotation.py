"""What annotators say of stored games, one row a thing that they read, and what each may see (section 5).

A batch is answered by one object that holds a value under each question's number: so none can be left out or come
twice where an endpoint keeps to the schema, and the schema stays flat. Not guarded: where it does not, the last of two
values for one question counts, as JSON has it.
"""

from collections.abc import Sequence
from enum import StrEnum
from itertools import count
from typing import Annotated, Any, NamedTuple

from pydantic import ConfigDict, Field, WithJsonSchema, create_model

from actors.dialogue import Answer, Card, Said, Turn
from actors.paper import Problem, Solution
from actors.row import Row
from actors.survey import Version


class Recognition(Row):
    """Which of a probe's candidates is the core idea, from 1; ``listed`` is None where nothing valid came."""

    listed: bool | None
    candidate: int | None
    rationale: str | None


class Place(StrEnum):
    """Where a phrase may be mentioned."""

    QUESTION = "question"
    CARD = "card"


class Mention(Row):
    """Whether a question, or the final card, refers to the core and the decoy phrase; None where nothing valid came."""

    place: Place
    t: int
    core: bool | None
    decoy: bool | None


class LineMark(Row):
    """Which line of the survey a question asks about.

    Lines are counted from 1 through all dimensions; 0 is none of them, None that nothing valid came. inserted: the line
    that names the core under full, else the decoy. of: how many lines there are.
    """

    t: int
    line: int | None
    inserted: int
    of: int


class Parent(Row):
    """What a question follows from: an earlier question, 0 the problem, None where one repair brought nothing valid."""

    t: int
    parent: int | None
    repaired: bool


class SecondAnswer(Row):
    """What a candidate answerer says to a stored question; None where nothing valid came."""

    t: int
    answer: Answer | None


class Which(StrEnum):
    """Which of the two phrases something refers to."""

    CORE = "first"  # what the prompt calls it: an annotator is not told which of the two is true
    DECOY = "second"
    BOTH = "both"
    NEITHER = "neither"

    @property
    def core(self) -> bool:
        """Whether the core is one of them."""
        return self in (Which.CORE, Which.BOTH)

    @property
    def decoy(self) -> bool:
        """Whether the decoy is one of them."""
        return self in (Which.DECOY, Which.BOTH)


class RecognitionReply(Row):
    """What an annotator of a probe sends: the reason first, then a candidate's number, 0 for none."""

    rationale: Said
    candidate: int


class CardMentionReply(Row):
    """What an annotator of a final card sends."""

    states: Which


class BatchReply(Row):
    """What an annotator of a batch sends: fields are named by the questions' numbers."""

    def by_number(self) -> dict[int, Any]:
        """The value given to each question."""
        return {int(number): getattr(self, number) for number in type(self).model_fields}


class LooseReply(BatchReply):
    """A batch of which every value is looked at by itself: one that is missing or of no use is None or as it came."""

    model_config = ConfigDict(extra="ignore")


def recognition_reply(candidates: int) -> type[RecognitionReply]:
    """A `RecognitionReply` that names one of so many candidates, or none."""
    candidate: Any = (Annotated[int, Field(ge=0, le=candidates)], ...)
    return create_model("RecognitionReply", __base__=RecognitionReply, candidate=candidate)


def mentions_reply(numbers: Sequence[int]) -> type[BatchReply]:
    """For each question which phrases it refers to."""
    fields: dict[str, Any] = {str(number): (Which, ...) for number in numbers}
    return create_model("MentionsReply", __base__=BatchReply, **fields)


def lines_reply(numbers: Sequence[int], lines: int) -> type[BatchReply]:
    """For each question a line, 0 for none."""
    fields: dict[str, Any] = {str(number): (Annotated[int, Field(ge=0, le=lines)], ...) for number in numbers}
    return create_model("LinesReply", __base__=BatchReply, **fields)


def parents_reply(numbers: Sequence[int]) -> type[LooseReply]:
    """For each question its parent. The schema keeps parents before their children; what comes all the same may not."""
    fields: dict[str, Any] = {
        str(number): (
            Annotated[Any, WithJsonSchema({"type": "integer", "minimum": 0, "maximum": number - 1})],
            None,
        )
        for number in numbers
    }
    return create_model("ParentsReply", __base__=LooseReply, **fields)


class NumberedLine(NamedTuple):
    """A line of a survey as an annotator sees it."""

    number: int
    family: str
    techniques: tuple[str, ...]


class NumberedDimension(NamedTuple):
    """A dimension with its lines, which are counted through the whole survey."""

    name: str
    lines: tuple[NumberedLine, ...]


def numbered(version: Version) -> tuple[NumberedDimension, ...]:
    """The survey with its lines counted from 1."""
    number = count(1)
    return tuple(
        NumberedDimension(
            dimension.name,
            tuple(NumberedLine(next(number), line.family, line.techniques) for line in dimension.lines),
        )
        for dimension in version.dimensions
    )


def recognition_view(solution: Solution, core: str | None, candidates: Sequence[str]) -> dict[str, object]:
    """All that an annotator of a probe may see: who proposed, and that they come from several lists, is not in it."""
    return {"solution": solution, "core": core, "candidates": candidates}


def mentions_view(core: str, decoy: str, turns: Sequence[Turn]) -> dict[str, object]:
    """All that an annotator of mentions may see: the condition and the answers are not in it."""
    return {"core": core, "decoy": decoy, "questions": questions(turns)}


def card_mention_view(core: str, decoy: str, card: Card) -> dict[str, object]:
    """The same for the final card, without its confidence."""
    return {"core": core, "decoy": decoy, "card": card.model_dump(exclude={"confidence", "t"})}


def lines_view(version: Version, turns: Sequence[Turn]) -> dict[str, object]:
    """All that an annotator of lines may see: the survey that the player read, never the solution."""
    return {"dimensions": numbered(version), "questions": questions(turns)}


def parents_view(problem: Problem, turns: Sequence[Turn], wanted: Sequence[int]) -> dict[str, object]:
    """All that an annotator of a tree may see: the answers, by which trees are compared later, are not in it."""
    return {"problem": problem, "questions": questions(turns), "wanted": wanted}


def questions(turns: Sequence[Turn]) -> tuple[tuple[int, str], ...]:
    """Numbers and texts."""
    return tuple((turn.t, turn.question) for turn in turns)
