"""Edits of files as a model writes them in plain text, and what is wrong with them: code inside JSON breaks too easily.

    FILE: name                  FILE: name               DELETE: name
    <<<<<<< SEARCH              <<<<<<< WHOLE
    lines as they stand         the whole file
    =======                     >>>>>>> END
    lines in their place
    >>>>>>> REPLACE

Several in one reply are made one after the other, all or none. What is searched for must stand exactly once; where it
does not, white space at the ends of lines may differ. Whatever else a reply says is passed over, fences of a code block
too. Not guarded: a line of seven = in code that is searched for; such a file can be written whole.
"""

import re
from collections import Counter
from collections.abc import Collection
from difflib import get_close_matches
from typing import Literal, NamedTuple

from actors.errors import Fault
from solvers.workspace.solution import LIMITS, Gathered, Limits, Refused, Solution, check_name

PATH = re.compile(r"[\s#*`>-]*(FILE|DELETE):(.*)")
CHANGE = re.compile(r"^[ \t#*`>-]*CHANGE:(.*)$", re.MULTILINE)
DECORATION = " \t*`"
OPENS = re.compile(r"^\s*<{7}\s*(SEARCH|WHOLE)\s*$")
HALF = re.compile(r"^={7}\s*$")
CLOSES = re.compile(r"^\s*>{7}\s*(REPLACE|END)\s*$")
ABOUT = 200  # characters of what a change is said to be
SHOWN = 12  # lines that are shown of a file where a search went wrong
LOOKED_AT = 5000  # lines, for one that is like another


class Mistake(Fault):
    """A reply cannot be followed: what is wrong, and how the file reads, for the model that wrote it."""


class Edit(NamedTuple):
    """One edit. how: create is a search for nothing, so the file may not be there. old, new: lines."""

    name: str
    how: Literal["replace", "create", "write", "delete"]
    old: list[str]
    new: list[str]


class Draft(NamedTuple):
    """What a reply wants. about: in its own words, one line."""

    about: str
    edits: list[Edit]


def drafted(text: str) -> Draft:
    """The edits in a reply, thoughts left aside; Mistake where there is none, or one is not whole."""
    said = text.rpartition("</think>")[2].replace("\r\n", "\n")
    edits = Reading(said.split("\n")).edits()
    if not edits:
        raise Mistake("the reply holds no edit: write FILE: and a block, or DELETE:, as described")
    change = CHANGE.search(said)
    names = ", ".join(dict.fromkeys(edit.name for edit in edits))
    about = change.group(1).strip(DECORATION) if change else ""
    return Draft((about or f"edits {names}")[:ABOUT], edits)


class Reading:
    """A reply, line by line."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._at = 0

    def edits(self) -> list[Edit]:
        """All of them, in order."""
        found: list[Edit] = []
        name = ""
        while self._at < len(self._lines):
            line = self._lines[self._at]
            self._at += 1
            if path := PATH.match(line):
                name = path.group(2).strip(DECORATION).removeprefix("./")
                if path.group(1) == "DELETE":
                    found.append(Edit(name, "delete", [], []))
            elif opens := OPENS.match(line):
                if not name:
                    raise Mistake("a block has no line FILE: NAME before it")
                found.append(self._block(name, opens.group(1) == "WHOLE"))
        return found

    def _block(self, name: str, whole: bool) -> Edit:
        if whole:
            return Edit(name, "write", [], unfenced(self._until(CLOSES, name)))
        old = unfenced(self._until(HALF, name))
        new = unfenced(self._until(CLOSES, name))
        return Edit(name, "replace" if any(map(str.strip, old)) else "create", old, new)

    def _until(self, mark: re.Pattern[str], name: str) -> list[str]:
        """The lines up to the next that is ``mark``."""
        lines: list[str] = []
        for line in self._lines[self._at :]:
            self._at += 1
            if mark.match(line):
                return lines
            if OPENS.match(line) or CLOSES.match(line):
                break
            lines.append(line)
        wanted = "=======" if mark is HALF else ">>>>>>> REPLACE (or END)"
        raise Mistake(f"{name}: a block lacks its line {wanted}; was the reply cut off?")


def unfenced(lines: list[str]) -> list[str]:
    """Without the fence of a code block around all of them."""
    fenced = len(lines) > 1 and lines[0].startswith("```") and lines[-1].strip() == "```"
    return lines[1:-1] if fenced else lines


def applied(solution: Solution, edits: list[Edit], protected: Collection[str], limits: Limits = LIMITS) -> Solution:
    """The solution after all edits; Mistake names every one that cannot be made."""
    files = dict(solution.files)
    mistakes = []
    for edit in edits:
        try:
            make(files, edit, protected)
        except (Mistake, Refused) as error:
            mistakes.append(str(error))
    if mistakes:
        raise Mistake("\n".join(mistakes))
    gathered = Gathered(limits)
    try:
        for name, content in files.items():
            gathered.file(name, content)
        return Solution(files=files)
    except Refused as refused:
        raise Mistake(str(refused)) from None


def make(files: dict[str, bytes], edit: Edit, protected: Collection[str]) -> None:
    """Make one edit in ``files``."""
    check_name(edit.name)
    if edit.name in protected:
        raise Mistake(f"{edit.name}: belongs to the task and stays as it is")
    if edit.how in ("replace", "delete") and edit.name not in files:
        known = ", ".join(files) or "none"
        raise Mistake(f"{edit.name}: no such file (there are: {known[:500]})")
    if edit.how == "delete":
        del files[edit.name]
    elif edit.how == "replace":
        files[edit.name] = replaced(edit, files[edit.name])
    elif edit.how == "create" and files.get(edit.name):
        raise Mistake(f"{edit.name}: an empty SEARCH says nothing about where; use WHOLE for a whole file")
    else:
        files[edit.name] = "".join(f"{line}\n" for line in edit.new).encode()


def replaced(edit: Edit, content: bytes) -> bytes:
    """A file with the one place that was searched for replaced."""
    try:
        lines = content.decode().split("\n")
    except UnicodeDecodeError:
        raise Mistake(f"{edit.name}: not text, so it can only be written whole or deleted") from None
    wanted = edit.old
    places = found(lines, wanted)
    if not places:
        lines_alike, wanted_alike = ([line.rstrip() for line in some] for some in (lines, wanted))
        places = found(lines_alike, wanted_alike)
    if len(places) > 1:
        where = ", ".join(str(place + 1) for place in places[:SHOWN])
        raise Mistake(f"{edit.name}: what is searched for stands {len(places)} times (lines {where}); add lines to it")
    if not places:
        raise Mistake(
            f"{edit.name}: what is searched for does not stand there:\n{indented(wanted)}\n{near(lines, wanted)}"
        )
    at = places[0]
    return "\n".join([*lines[:at], *edit.new, *lines[at + len(wanted) :]]).encode()


def found(lines: list[str], wanted: list[str]) -> list[int]:
    """Where ``wanted`` stands in ``lines``."""
    ends = len(lines) - len(wanted) + 1
    return [at for at in range(ends) if lines[at] == wanted[0] and lines[at : at + len(wanted)] == wanted]


def near(lines: list[str], wanted: list[str]) -> str:
    """The lines that are most like ``wanted``: those that share most with it, else one like its first."""
    places: dict[str, list[int]] = {}
    for at, line in enumerate(lines):
        places.setdefault(line.strip(), []).append(at)
    votes: Counter[int] = Counter()
    for offset, line in enumerate(wanted):
        if letters := line.strip():
            votes.update({max(at - offset, 0): len(letters) for at in places.get(letters, [])[:LOOKED_AT]})
    if not votes:
        first = next(line.strip() for line in wanted if line.strip())
        alike = get_close_matches(first, list(places)[:LOOKED_AT], n=1)
        votes.update({places[line][0]: 1 for line in alike})
    if not votes:
        return "nothing like it does"
    at = votes.most_common(1)[0][0]
    shown = lines[at : at + min(len(wanted) + 2, SHOWN)]
    return f"the nearest are lines {at + 1} to {at + len(shown)}:\n{indented(shown)}"


def indented(lines: list[str]) -> str:
    """The first of them, so that they stand out."""
    return "\n".join(f"    {line}" for line in lines[:SHOWN])
