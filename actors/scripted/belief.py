"""What a player believes after the answers so far: per dimension, over known techniques and what it does not know.

The hypotheses of a dimension are every known technique, "another technique of this family" for every known family, and
"something of no known family". An answer multiplies those that predict YES by its likelihood ratio.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from actors.dialogue import Answer, Turn
from actors.scripted.lattice import Axis

OTHER_IN_FAMILY = 0.5  # prior weight beside 1 for each known technique
OTHER = 1.0
SETTLED = 0.9  # posterior from which a dimension holds no more questions worth asking


@dataclass(frozen=True)
class Channel:
    """How answers come about: P(answer | it is so) and P(answer | it is not so)."""

    so: Mapping[Answer, float]
    not_so: Mapping[Answer, float]

    @cached_property
    def ratio(self) -> dict[Answer, float]:
        """What an answer multiplies the hypotheses by that predict YES."""
        return {answer: self.so[answer] / self.not_so[answer] for answer in Answer}


PLAYER = Channel(
    so={Answer.YES: 0.882, Answer.NO: 0.018, Answer.UNKNOWN: 0.1},
    not_so={Answer.YES: 0.018, Answer.NO: 0.882, Answer.UNKNOWN: 0.1},
)


class Stand(NamedTuple):
    """Where one dimension stands.

    open: unasked questions with P(it is so). techniques, families: names with weights, of which ``total`` is the sum
    over all hypotheses.
    """

    open: list[tuple[str, float]]
    techniques: list[tuple[str, float]]
    families: list[tuple[str, float]]
    total: float
    settled: bool


class Belief:
    """The answers so far under a channel; a question asked twice counts once, with its first answer."""

    def __init__(self, history: Sequence[Turn], channel: Channel) -> None:
        self.told = {turn.question: turn.answer for turn in reversed(history)}
        self.ratio = channel.ratio

    def stand(self, axis: Axis) -> Stand:
        """The posterior of one dimension; the innermost loop of a scripted run, hence without helpers."""
        told, ratio = self.told, self.ratio
        total = top = OTHER
        weighed: list[tuple[str, float]] = []
        families: list[tuple[str, float]] = []
        unasked: list[tuple[str, float]] = []
        for name, line, techniques in axis.families:
            answer = told.get(line)
            factor = 1.0 if answer is None else ratio[answer]
            mass = OTHER_IN_FAMILY * factor
            if mass > top:
                top = mass
            for phrase, question in techniques:
                reply = told.get(question)
                if reply is None:
                    weight = factor
                    unasked.append((question, weight))
                else:
                    weight = factor * ratio[reply]
                if weight > top:
                    top = weight
                weighed.append((phrase, weight))
                mass += weight
            if answer is None:
                unasked.append((line, mass))
            families.append((name, mass))
            total += mass
        unasked = [(question, mass / total) for question, mass in unasked]
        return Stand(unasked, weighed, families, total, top >= SETTLED * total)
