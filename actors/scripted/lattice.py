"""What can be asked about: dimensions, the families on each, the techniques of each family.

An outline is the bare content, easy to join and to cut; a lattice is the same with every question written out.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from actors.scripted.question import line_question, technique_question
from actors.survey import Version

Outline = Mapping[str, Mapping[str, tuple[str, ...]]]  # dimension -> family -> techniques


class Technique(NamedTuple):
    """One technique and the question whether the solution uses it."""

    phrase: str
    question: str


class Family(NamedTuple):
    """One family, the question whether the solution relies on it, and its techniques."""

    name: str
    question: str
    techniques: tuple[Technique, ...]


class Axis(NamedTuple):
    """One dimension."""

    name: str
    families: tuple[Family, ...]


Lattice = tuple[Axis, ...]


def outline(version: Version) -> Outline:
    """The content of a survey's version."""
    return {d.name: {line.family: line.techniques for line in d.lines} for d in version.dimensions}


def read_context(text: str) -> Outline:
    """The content of a version as a player reads it, rendered; what is not a line of a survey is skipped."""
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    for block in text.split("\n\n"):
        name, *lines = block.split("\n")
        pairs = [line.removeprefix("- ").split(": ", 1) for line in lines if line.startswith("- ") and ": " in line]
        if pairs:
            found[name] = {family: tuple(techniques.split("; ")) for family, techniques in pairs}
    return found


def join(outlines: Iterable[Outline]) -> Outline:
    """All of them in one, in the order of first sight; a technique stays in the first family that names it."""
    joined: dict[str, dict[str, tuple[str, ...]]] = {}
    for one in outlines:
        for dimension, families in one.items():
            into = joined.setdefault(dimension, {})
            seen = {technique for techniques in into.values() for technique in techniques}
            for family, techniques in families.items():
                new = tuple(technique for technique in techniques if technique not in seen)
                into[family] = into.get(family, ()) + new
                seen.update(new)
    return joined


def lattice(content: Outline) -> Lattice:
    """The outline with its questions."""
    return tuple(
        Axis(
            dimension,
            tuple(
                Family(
                    family,
                    line_question(dimension, family),
                    tuple(Technique(each, technique_question(dimension, each)) for each in techniques),
                )
                for family, techniques in families.items()
            ),
        )
        for dimension, families in content.items()
    )
