"""One paper's truth: a technique on each dimension of its survey, the core phrase on one of them.

A world is a caricature: its truth is drawn on the survey's lattice and is not what the paper's text says, the core and
the paper's own components apart. It tests instruments, never papers.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from actors.errors import BadInput
from actors.paper import Paper, Problem, Solution
from actors.scripted.chance import stable
from actors.scripted.lattice import Outline, outline, read_context
from actors.scripted.question import Form, Query, parse
from actors.survey import Dimension, Survey


@dataclass(frozen=True, eq=False)
class World:
    """The lattice and the truth of one paper.

    outline: the survey's full version with the decoy as one more technique beside the core.
    truth: dimension -> technique. core: the dimension whose truth holds the core phrase.
    """

    key: str
    problem: Problem
    solution: Solution
    outline: Outline
    truth: dict[str, str]
    core: str

    @cached_property
    def family(self) -> dict[tuple[str, str], str]:
        """(dimension, technique) -> family."""
        return {
            (dimension, technique): family
            for dimension, families in self.outline.items()
            for family, techniques in families.items()
            for technique in techniques
        }

    def holds(self, question: str) -> bool | None:
        """Whether what the question asks is so; None if it asks about nothing on the lattice's dimensions."""
        query = parse(question)
        if query is None or query.form is Form.GENERIC or query.dimension not in self.truth:
            return None
        technique = self.truth[query.dimension]
        if query.form is Form.TECHNIQUE:
            return query.phrase == technique
        if query.form is Form.LINE:
            return query.phrase == self.family[query.dimension, technique]
        return self._combines(query, technique)

    def _combines(self, query: Query, technique: str) -> bool:
        first, rest = query.phrase[: len(technique)], query.phrase[len(technique) :]
        return first == technique and any(rest == f" with {other}" for other in self.truth.values())


def build_world(paper: Paper, survey: Survey, seed: int) -> World:
    """The world of a paper; BadInput if the core is no technique, or if the rendered survey cannot be read back."""
    full, decoy, dummy = (survey.versions[name] for name in ("full", "decoy", "dummy"))
    if any(read_context(str(version)) != outline(version) for version in (full, decoy, dummy)):
        raise BadInput(f"survey of {survey.paper}: a family holds ': ' or a technique '; '; write it without")
    content = {dimension: dict(families) for dimension, families in outline(full).items()}
    core, family, technique = _locate(survey.core, content, survey.paper)
    _, _, rival = _locate(survey.decoy, outline(decoy), survey.paper)
    content[core][family] += (rival,)
    truth = {core: technique}
    for kept, replaced in zip(decoy.dimensions, dummy.dimensions, strict=True):
        if kept.name != core:
            candidates = _components(kept, replaced) or [each for line in kept.lines for each in line.techniques]
            truth[kept.name] = candidates[stable(seed, paper.sha256, kept.name) % len(candidates)]
    ordered = {dimension: truth[dimension] for dimension in content}
    return World(f"{paper.sha256} {seed}", paper.problem, paper.solution, content, ordered, core)


def build_worlds(papers: Iterable[Paper], surveys: Mapping[str, Survey], seed: int) -> list[World]:
    """The worlds of all papers that have a survey; ``surveys`` by the paper's id."""
    return [build_world(paper, surveys[paper.id], seed) for paper in papers if paper.id in surveys]


def _locate(phrase: str, content: Outline, paper: str) -> tuple[str, str, str]:
    """Dimension, family and technique that hold the phrase."""
    for dimension, families in content.items():
        for family, techniques in families.items():
            for technique in techniques:
                if phrase.casefold() in technique.casefold():
                    return dimension, family, technique
    raise BadInput(f"survey of {paper}: no technique holds '{phrase}'; a scripted world needs it to be one")


def _components(kept: Dimension, replaced: Dimension) -> list[str]:
    """Techniques of the lines that dummy replaced: those that offer a component of the paper."""
    found: list[str] = []
    for line, other in zip(kept.lines, replaced.lines, strict=True):
        if line != other:
            gone = [technique for technique in line.techniques if technique not in other.techniques]
            found += gone or line.techniques
    return found
