"""The scripted annotator: sees what is there, and slips at the persona's rate.

It knows a phrase by its words and a line by the frame of a scripted question: in what a real model asks it finds no
line, and a phrase only where that stands word for word.
"""

from collections.abc import Mapping, Sequence

import orjson

from actors.annotation import NumberedDimension, Which
from actors.model import Persona
from actors.scripted.chance import stable, uniform
from actors.scripted.question import Form, parse
from actors.scripted.tree import parents
from actors.scripted.world import World

WHICH = {
    (True, True): Which.BOTH,
    (True, False): Which.CORE,
    (False, True): Which.DECOY,
    (False, False): Which.NEITHER,
}
Numbered = Sequence[tuple[int, str]]


class Annotator:
    """One annotator on one request, whose ``seed`` its slips hang on. Every slip is a draw of its own."""

    def __init__(self, name: str, persona: Persona, seed: int) -> None:
        self._draw = (name, "slip", seed)
        self._rate = persona.slip

    def slips(self, *what: object) -> bool:
        """Whether it marks one thing wrongly."""
        return self._rate > 0 and uniform(*self._draw, *what) < self._rate

    def other(self, right: int, numbers: Sequence[int], *what: object) -> int:
        """Any of the numbers but the right one, which stays where there is no other."""
        wrong = [each for each in numbers if each != right]
        return wrong[stable(*self._draw, "other", *what) % len(wrong)] if wrong else right

    def recognise(self, world: World, candidates: Sequence[str]) -> int:
        """The first candidate that holds the core technique, counted from 1; 0 if none does."""
        core = world.truth[world.core].casefold()
        right = next((number for number, each in enumerate(candidates, 1) if core in each.casefold()), 0)
        if not self.slips("recognition"):
            return right
        return 0 if right else self.other(0, range(len(candidates) + 1), "recognition")

    def which(self, core: str, decoy: str, text: str, what: object) -> Which:
        """Which of the phrases stand in a text."""
        said = text.casefold()
        marks = [
            (phrase.casefold() in said) != self.slips(side, what) for side, phrase in (("core", core), ("decoy", decoy))
        ]
        return WHICH[marks[0], marks[1]]

    def mentions(self, core: str, decoy: str, questions: Numbered) -> dict[str, Which]:
        """The same for each question."""
        return {str(number): self.which(core, decoy, text, number) for number, text in questions}

    def states(self, core: str, decoy: str, card: Mapping[str, object]) -> Which:
        """The same for a card."""
        return self.which(core, decoy, orjson.dumps(card).decode(), "card")

    def lines(self, dimensions: Sequence[NumberedDimension], questions: Numbered) -> dict[str, int]:
        """The line that each question asks about; 0 where it asks about none."""
        every = [0, *(line.number for dimension in dimensions for line in dimension.lines)]
        found = {}
        for number, text in questions:
            right = line_of(dimensions, text)
            found[str(number)] = self.other(right, every, number) if self.slips(number) else right
        return found

    def parents(self, world: World, questions: Numbered, wanted: Sequence[int]) -> dict[str, int]:
        """What each wanted question follows from."""
        right = parents(world, questions)
        found = {}
        for number in wanted:
            earlier = [0, *(each for each, _ in questions if each < number)]
            found[str(number)] = self.other(right[number], earlier, number) if self.slips(number) else right[number]
        return found


def line_of(dimensions: Sequence[NumberedDimension], question: str) -> int:
    """The line whose family or technique a question names; of a pair the first technique's."""
    query = parse(question)
    if query is None or query.form is Form.GENERIC:
        return 0
    for dimension in dimensions:
        for line in dimension.lines if dimension.name == query.dimension else ():
            if query.phrase == line.family if query.form is Form.LINE else names(query.phrase, line.techniques):
                return line.number
    return 0


def names(phrase: str, techniques: Sequence[str]) -> bool:
    """Whether a question's phrase is one of the techniques, or a pair that begins with one."""
    return any(phrase == each or phrase.startswith(f"{each} with ") for each in techniques)
