"""A paper as the game sees it: the problem that is shown, the solution that is hidden, the text that answers.

A paper is one Markdown file, ``datasets/papers/<id>.md``: YAML front matter with the fields of `Paper`, then the text.
"""

import hashlib
import re
from datetime import date
from pathlib import Path
from typing import Annotated, Literal

import yaml
from pydantic import StringConstraints

from actors.errors import BadInput
from actors.row import Row, parse

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Id = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9._-]*$", max_length=80)]


class Problem(Row):
    """What the inquisitor sees of a paper (questioning game, section 1)."""

    domain: Text
    goal: Text
    challenge: Text
    gap: Text


class Solution(Row):
    """What the inquisitor must rediscover (questioning game, section 1)."""

    contribution: Text
    approach: Text
    components: tuple[Text, ...]
    novelty: Text


class Paper(Row):
    """One paper with everything that is known about it; ``text`` is Markdown."""

    id: Id
    title: Text
    origin: Literal["classic", "invented", "user"] = "user"
    field: Text
    source: Text
    licence: Text
    may_redistribute: bool
    first_public_date: date
    contribution_type: Text = "method"
    review_score: float | None = None
    problem: Problem
    solution: Solution
    abstract: Text
    text: Text

    @property
    def sha256(self) -> str:
        """Hash of all that can change an answer, a card or a rating: problem, solution, abstract and text."""
        content = self.model_dump_json(include={"problem", "solution", "abstract", "text"})
        return hashlib.sha256(content.encode()).hexdigest()


def read_paper(path: Path) -> Paper:
    """The paper of one Markdown file; BadInput names the file and the field that is wrong."""
    try:
        raw = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path}: cannot be read ({error}); give a UTF-8 Markdown file") from None
    parts = re.split(r"^---[ \t]*$", raw, maxsplit=2, flags=re.MULTILINE)
    if len(parts) != 3 or parts[0].strip():
        raise BadInput(f"{path}: no front matter; start the file with '---', the fields in YAML, and '---'")
    try:
        fields = yaml.load(parts[1], Loader=yaml.CSafeLoader)
    except (yaml.YAMLError, ValueError) as error:  # a date that is none is a ValueError
        place = getattr(error, "problem_mark", None)
        line = f":{place.line + 2}" if place else ""
        raise BadInput(f"{path}{line}: front matter is not YAML ({getattr(error, 'problem', error)})") from None
    if not isinstance(fields, dict):
        raise BadInput(f"{path}: front matter holds no fields; see datasets/papers/README.md")
    paper = parse(Paper, {**fields, "text": parts[2].strip()}, str(path))
    if paper.id != path.stem:
        raise BadInput(f"{path}: id: is '{paper.id}' but the file is called '{path.stem}'; make them one")
    return paper


def read_papers(folder: Path) -> dict[str, Paper]:
    """Every paper of a folder by id, in the order of ids; BadInput if there is none, or one that is broken."""
    paths = sorted(path for path in folder.glob("*.md") if path.name != "README.md")
    if not paths:
        raise BadInput(f"{folder}: holds no paper (*.md); set papers_dir= to a folder that does")
    return {path.stem: read_paper(path) for path in paths}
