"""A survey of the problem's field in four versions: the context that a game may be given (questioning game, section 4).

blind   written from the problem alone
full    blind with the paper's core idea, as a short phrase, put into one line
decoy   the same line names another member of the same family instead
dummy   decoy, with every other line that offers a component of the paper replaced
"""

import hashlib
import re
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import orjson
from pydantic import Field, StringConstraints

from actors.errors import BadInput
from actors.paper import Id, Text
from actors.row import Row, parse


class Condition(StrEnum):
    """What stands beside the problem in the question prompt."""

    NONE = "none"
    DUMMY = "dummy"
    DECOY = "decoy"
    FULL = "full"


Phrase = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, pattern=r"^[^\r\n]*$")]


class Line(Row):
    """One family of solutions and two to five concrete techniques of it."""

    family: Phrase
    techniques: Annotated[tuple[Phrase, ...], Field(min_length=2, max_length=5)]

    def __str__(self) -> str:
        return f"- {self.family}: {'; '.join(self.techniques)}"


class Dimension(Row):
    """One axis along which solutions differ, with its candidate lines."""

    name: Phrase
    lines: Annotated[tuple[Line, ...], Field(min_length=4, max_length=6)]

    def __str__(self) -> str:
        return "\n".join([self.name, *map(str, self.lines)])


class Version(Row):
    """One version of a survey."""

    dimensions: Annotated[tuple[Dimension, ...], Field(min_length=5, max_length=7)]
    sha256: str

    def __str__(self) -> str:
        return "\n\n".join(map(str, self.dimensions))

    @property
    def flat(self) -> list[str]:
        """All lines and dimension names in order, for comparing versions line by line."""
        return str(self).split("\n")


class Survey(Row):
    """The four versions for one paper, with the phrase that full names and the one that decoy names."""

    paper: Id
    core: Text
    decoy: Text
    versions: dict[str, Version]

    @property
    def sha256(self) -> str:
        """Hash of all versions and both phrases: what a scripted world is made from."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()

    def context(self, condition: Condition) -> str | None:
        """What a player under ``condition`` reads; None where it reads nothing."""
        return None if condition is Condition.NONE else str(self.versions[condition])


def tokens(text: str) -> int:
    """Words and punctuation marks: the count that the forty-token rule uses, the same for every model."""
    return len(re.findall(r"\w+|[^\w\s]", text))


def faults(survey: Survey) -> list[str]:
    """Every broken invariant of section 4, in words; empty if the survey may be used.

    Guards shape, phrases and hashes. Whether decoy is a fair neighbour of core, and whether dummy left no component
    in, is for people to say.
    """
    if set(survey.versions) != {"blind", "full", "decoy", "dummy"}:
        return [f"versions are {sorted(survey.versions)}, not blind, decoy, dummy, full"]
    found = [
        f"{name}: changed since it was frozen (sha256 {digest(version)})"
        for name, version in survey.versions.items()
        if digest(version) != version.sha256
    ]
    full, decoy, dummy = (survey.versions[name] for name in ("full", "decoy", "dummy"))
    shapes = {tuple(len(d.lines) for d in v.dimensions) for v in (full, decoy, dummy)}
    names = {tuple(d.name for d in v.dimensions) for v in (full, decoy, dummy)}
    if len(shapes) > 1 or len(names) > 1:
        return [*found, "full, decoy and dummy differ in shape"]
    differing = [(a, b) for a, b in zip(full.flat, decoy.flat, strict=True) if a != b]
    if len(differing) != 1:
        found.append(f"full and decoy differ in {len(differing)} lines, not in one")
    elif differing[0][0].replace(survey.core, survey.decoy) != differing[0][1]:
        found.append("the line that differs between full and decoy differs in more than the phrase")
    found += phrase_faults(survey, str(full), str(decoy), str(dummy))
    counts = [tokens(str(v)) for v in (full, decoy, dummy)]
    if max(counts) - min(counts) >= 40:
        found.append(f"token counts {counts} differ by 40 or more")
    return found


def phrase_faults(survey: Survey, full: str, decoy: str, dummy: str) -> list[str]:
    """What is wrong with where the two phrases stand."""
    found = []
    if not 3 <= len(survey.core.split()) <= 12:
        found.append(f"core phrase has {len(survey.core.split())} words, not 3-12")
    if not 3 <= len(survey.decoy.split()) <= 12:
        found.append(f"decoy phrase has {len(survey.decoy.split())} words, not 3-12")
    wanted = {("core", "full"): 1, ("core", "decoy"): 0, ("core", "dummy"): 0}
    wanted |= {("decoy", "full"): 0, ("decoy", "decoy"): 1, ("decoy", "dummy"): 1}
    texts = {"full": full, "decoy": decoy, "dummy": dummy}
    phrases = {"core": survey.core, "decoy": survey.decoy}
    for (phrase, version), times in wanted.items():
        seen = texts[version].casefold().count(phrases[phrase].casefold())
        if seen != times:
            found.append(f"{phrase} phrase stands {seen} times in {version}, not {times}")
    return found


def digest(version: Version) -> str:
    """SHA-256 of what a player would read."""
    return hashlib.sha256(str(version).encode()).hexdigest()


def read_survey(path: Path) -> Survey:
    """The survey of one JSON file; BadInput if it is malformed, breaks an invariant, or was changed after freezing."""
    try:
        data = orjson.loads(path.read_bytes())
    except (OSError, orjson.JSONDecodeError) as error:
        raise BadInput(f"{path}: cannot be read ({error})") from None
    survey = parse(Survey, data, str(path))
    if survey.paper != path.stem:
        raise BadInput(f"{path}: paper: is '{survey.paper}' but the file is called '{path.stem}'; make them one")
    if broken := faults(survey):
        more = f" (and {len(broken) - 1} more)" if len(broken) > 1 else ""
        raise BadInput(f"{path}: {broken[0]}{more}; mend the survey and freeze it again")
    return survey
