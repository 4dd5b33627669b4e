"""Which words of a card also stand in the solution, and texts cut up so that a page can mark them (Figure 1).

A word that is shared is no recovered idea, and a synonym is missed: this says where to look, the judges give the score.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from pipelines.report.chapters.gallery import cut
from pipelines.report.words import Record

WORD = re.compile(r"[^\W\d_]+")
SHORTEST = 4  # letters
MAX_TEXT = 4000  # characters of a part on the page
STOP = frozenset(
    "about above across after again against almost along already also although always among another anything around"
    " because been before behind being below between beyond both cannot could despite does doing done down during each"
    " either else enough even ever every everything from further given have having hence here however indeed instead"
    " into itself just kind least less like made make makes making many more most much must namely near neither never"
    " nothing often once only onto other others otherwise over part perhaps quite rather same several should simply"
    " since some something still such than that their them themselves then there thereby therefore these they thing"
    " things this those though through throughout thus together toward towards under unless until upon used uses using"
    " very well were what when where whereas whether which while whole whom whose will with within without would"
    " your yours".split()
)
TERMS_SAID = (
    f"Words are compared as they are written, case folded: those of {SHORTEST} or more letters, stop words left out."
    " A shared word is no recovered idea, and another word for the same thing is missed; the judges give the score."
)
PARTS = ("contribution", "approach", "components", "novelty")

Piece = tuple[str, str]
"""(text, class): the classes ``hit`` and ``miss`` for words of a card, ``by-best``, ``by-worst`` or both for words of
the solution; none for what lies between."""


@dataclass(frozen=True)
class Side:
    """A final card, or the solution. parts: (name, lines of pieces); head: its row of the table `trajectory_texts`."""

    whose: str
    head: Record
    parts: list[tuple[str, list[list[Piece]]]]


@dataclass(frozen=True)
class Pair:
    """Two final cards of one paper and the solution that they are compared with."""

    model: str
    paper: str
    sides: list[Side]
    solution: Side


def terms(text: str) -> frozenset[str]:
    """The content words of a text, case folded: of `SHORTEST` letters or more, and no stop words."""
    return frozenset(found for word in WORD.findall(text) if (found := term(word)) is not None)


def term(word: str) -> str | None:
    """A word as it is compared; None if it is not."""
    folded = word.casefold()
    return folded if len(word) >= SHORTEST and folded not in STOP else None


def pieces(line: str, classes: Mapping[str, str], other: str = "") -> list[Piece]:
    """A line in pieces: words of ``classes`` with their class, other content words with ``other``, the rest bare."""
    found: list[Piece] = []
    at = 0
    for match in WORD.finditer(line):
        compared = term(match.group())
        name = "" if compared is None else classes.get(compared, other)
        if name:
            found += [(line[at : match.start()], ""), (match.group(), name)]
            at = match.end()
    return [piece for piece in [*found, (line[at:], "")] if piece[0]]


def pair(rows: list[Record]) -> Pair | None:
    """From the rows of `trajectory_texts`: both cards against the solution's words, the solution against theirs."""
    words = {name: terms(joined(rows, name)) for name in ("best", "worst", "solution")}
    if not words["solution"]:
        return None
    hits = dict.fromkeys(words["solution"], "hit")
    by = {word: " ".join(f"by-{name}" for name in ("best", "worst") if word in words[name]) for word in hits}
    sides = {name: _side(rows, name, by if name == "solution" else hits) for name in words}
    head = sides["best"].head
    return Pair(str(head["model"]), str(head["paper"]), [sides["best"], sides["worst"]], sides["solution"])


def joined(rows: Collection[Record], whose: str) -> str:
    """All text of a card or of the solution."""
    return "\n".join(str(row["text"]) for row in rows if row["whose"] == whose)


def _side(rows: list[Record], whose: str, classes: Mapping[str, str]) -> Side:
    own = [row for row in rows if row["whose"] == whose]
    other = "" if whose == "solution" else "miss"
    parts = []
    for row in own:
        lines = [line for line in cut(row["text"], MAX_TEXT).splitlines() if line.strip()]
        parts.append((str(row["part"]), [pieces(line, classes, other) for line in lines]))
    return Side(whose, own[0], parts)
