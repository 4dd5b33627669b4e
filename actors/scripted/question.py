"""The language of scripted questions: fixed English frames, and the way back from a text to what it asks.

Guards the frame only: a phrase of a survey that itself holds "or" makes a question that reads as two.
"""

import re
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple


class Form(StrEnum):
    """What a question asks about."""

    LINE = "rely on"  # a family
    TECHNIQUE = "use"  # one technique
    PAIR = "combine"  # two techniques at once, the second of any dimension
    GENERIC = "generic"  # nothing that the lattice holds


class Query(NamedTuple):
    """A question taken apart; ``phrase`` is the family, the technique, or the rest of the sentence."""

    dimension: str
    form: Form
    phrase: str


PATTERN = re.compile(r'Regarding "(.+?)", does the solution (?:(rely on|use|combine) )?(.+)\?')

PREDICATES = (
    "add a part that the baseline lacks",
    "remove a part of the baseline",
    "change during the run",
    "stay fixed after training",
    "need a setting chosen by hand",
    "rest on a proof",
    "rest on measurements alone",
    "draw at random",
    "need more data than the baseline",
    "need more memory than the baseline",
    "work in one pass",
    "work step by step",
    "treat all inputs alike",
    "depend on the size of the input",
    "borrow from another field",
    "keep a record of earlier steps",
    "optimise an explicit objective",
    "approximate a quantity that is costly to compute",
    "trade accuracy for speed",
    "treat the problem at several scales",
    "work without supervision",
    "share anything between cases",
    "correct its own errors",
    "differ from common practice",
)


def line_question(dimension: str, family: str) -> str:
    """Whether the solution lies on a line of the survey."""
    return f'Regarding "{dimension}", does the solution rely on {family}?'


def technique_question(dimension: str, technique: str) -> str:
    """Whether the solution holds one technique."""
    return f'Regarding "{dimension}", does the solution use {technique}?'


def pair_question(dimension: str, first: str, second: str) -> str:
    """Whether the solution holds both techniques."""
    return f'Regarding "{dimension}", does the solution combine {first} with {second}?'


def generic_question(dimension: str, predicate: str) -> str:
    """Something that can be asked of any solution; a scripted answerer does not know."""
    return f'Regarding "{dimension}", does the solution {predicate}?'


def size_question(count: int) -> str:
    """There is one for every number, so that nobody ever runs out of questions."""
    return f"Does the solution consist of more than {count} separate parts?"


@lru_cache(maxsize=2**16)
def parse(text: str) -> Query | None:
    """What a question asks; None if it is not in one of the frames with a dimension."""
    match = PATTERN.fullmatch(text)
    if match is None:
        return None
    dimension, verb, phrase = match.groups()
    return Query(dimension, Form(verb or "generic"), phrase)
