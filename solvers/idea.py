"""Ideas, and what a search holds about them: clusters, ranks, lessons. Field names are AIM's (arXiv 2609.38445)."""

from enum import StrEnum
from typing import Annotated, TypeVar

from pydantic import AfterValidator, StringConstraints

from actors.row import Row

T = TypeVar("T")
ABSTRACT_WORDS = 200
LETTERS = 4000  # of a text, whatever a model says
STEPS = 20  # of an experiment, and experiments of an idea


def cut(text: str) -> str:
    """The first 200 words: the limit of an abstract, kept by code whatever a model says."""
    words = text.split()
    kept = text.strip() if len(words) <= ABSTRACT_WORDS else " ".join(words[:ABSTRACT_WORDS])
    return kept[:LETTERS]


def brief(text: str) -> str:
    """The text, within its limit."""
    return text[:LETTERS]


def few(texts: tuple[T, ...]) -> tuple[T, ...]:
    """The first of many."""
    return texts[:STEPS]


Line = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2000)]
Abstract = Annotated[str, AfterValidator(cut)]
Text = Annotated[str, AfterValidator(brief)]


class Source(StrEnum):
    """Where an idea came from."""

    IDEATOR = "ideator"  # the first pool
    REFINED = "refined"  # from an idea that a branch tried
    FRESH_INJECT = "fresh_inject"  # new, without a parent


class Kind(StrEnum):
    """What an idea is meant to do."""

    SEED = "seed"
    FIX_ERROR = "fix_error"
    PUSH_SCORE = "push_score"
    CROSS_POLLINATE = "cross_pollinate"
    NEW_IDEA = "new_idea"


class Experiment(Row):
    """What would show whether the idea holds."""

    hypothesis: Text
    steps: Annotated[tuple[Text, ...], AfterValidator(few)]


class Sketch(Row):
    """An idea as a model writes it. techniques: ids of the task's catalogue, where it names any."""

    title: Line
    short_hypothesis: Line
    abstract: Abstract
    experiments: Annotated[tuple[Experiment, ...], AfterValidator(few)]
    risks: Text
    techniques: tuple[str, ...]


class Idea(Sketch):
    """An idea in the pool.

    iteration: after which it came; 0 is the first pool. sibling_referenced, lesson_context_idea: the idea that a
    cross_pollinate took from, where it was a sibling of the iteration or a lesson's.
    """

    id: str
    source: Source
    kind: Kind
    iteration: int
    parent_id: str | None = None
    sibling_referenced: str | None = None
    lesson_context_idea: str | None = None


class Cluster(Row):
    """A cluster of one iteration. index: from 1, this iteration's own."""

    iteration: int
    index: int
    label: str
    theme: str
    idea_ids: tuple[str, ...]
    rationale: str
    fallback: bool


class Rank(Row):
    """A dense rank, 1 the best, of a cluster (idea_id None) or of an unevaluated idea in its cluster; of: how many."""

    iteration: int
    cluster: int
    idea_id: str | None
    rank: int
    of: int
    rationale: str
    fallback: bool


class Lesson(Row):
    """Something learnt. context_idea: the idea that it comes from."""

    iteration: int
    tag: str
    lesson: str
    context_idea: str
    fallback: bool
