"""What a run of the questioning game plays: games of some kind, and what models read out of them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, model_validator

from actors.inquisitor import Strategy
from actors.row import Row
from actors.survey import Condition
from pipelines.settings import ROOT, Names, PoolSeats, Settings, Some, Where, no_repeats

Experiment = Literal[
    "game", "demo", "survey", "prefix_fork", "probe", "question_pool", "mentions", "tree", "answerer", "judge"
]
OWN: Mapping[str, tuple[str, ...]] = {
    "prefix_fork": ("fork",),
    "probe": ("probe", "annotators"),
    "question_pool": ("pool",),
    "mentions": ("annotators", "batch"),
    "tree": ("tree_annotator", "batch"),
    "answerer": ("answerers",),
}
"""By experiment, the settings without which it is another one."""
Turns = Annotated[int, Field(ge=1, le=1000)]


def papers_word(value: object) -> object:
    """One message for what may stand in ``papers``, rather than one for each way it may be read."""
    if value == "all" or (isinstance(value, int) and not isinstance(value, bool) and value >= 1):
        return value
    if isinstance(value, list | tuple) and value and all(isinstance(one, str) for one in value):
        return no_repeats(value)
    if isinstance(value, str):
        return [value]
    raise ValueError("must be all, a number from 1, or a list of ids")


class Fork(Row):
    """Where a paper's best and worst game are cut, and how often each is continued (Table 1)."""

    at: Annotated[tuple[Turns, ...], Some, Field(min_length=1)]
    continuations: Annotated[int, Field(ge=1, le=1000)]


class Probe(Row):
    """The closed-book probe: so many candidate solutions in a list, so many lists."""

    candidates: Annotated[int, Field(ge=1, le=100)]
    samples: Annotated[int, Field(ge=1, le=100)]


class QuestionPool(PoolSeats):
    """The pooled game: its seats and its length (Table 2)."""

    questions: Turns


class GameSettings(Settings):
    """One run of the game. What an experiment does not have is None."""

    experiment: Experiment
    judging: bool
    from_: Annotated[tuple[Where, ...], Some, Field(alias="from")] = ()
    inquisitors: Names
    answerer: str
    judges: Names
    strategy: Strategy
    papers: Annotated[Literal["all"] | int | tuple[str, ...], BeforeValidator(papers_word)]
    papers_dir: Where | None = None
    surveys_dir: Where | None = None
    condition: Annotated[tuple[Condition, ...], Some, Field(min_length=1)]
    questions: Turns
    card_every: Turns
    fork: Fork | None = None
    probe: Probe | None = None
    pool: QuestionPool | None = None
    annotators: Names | None = None
    tree_annotator: str | None = None
    answerers: Names | None = None
    read_replicates: Annotated[int, Field(ge=1)] | None = None
    batch: Annotated[int, Field(ge=1, le=1000)] | None = None

    @model_validator(mode="after")
    def nothing_is_executed(self) -> "GameSettings":
        """N is a search's."""
        if self.budget.executions is not None:
            raise ValueError("budget.executions: a game has none; it is a key of experiment=idea_search")
        return self

    @model_validator(mode="after")
    def nothing_is_left_unread(self) -> "GameSettings":
        """What an experiment is about has a value: without one nothing would be asked for, and nobody would be told."""
        for field in OWN.get(self.experiment, ()):
            if getattr(self, field) is None:
                raise ValueError(f"{field}: experiment={self.experiment} cannot do without; give it a value")
        if self.from_ and self.experiment != "judge":
            raise ValueError("from: only experiment=judge reads earlier runs; games that are stored are taken anyway")
        return self

    @model_validator(mode="after")
    def cuts_have_cards(self) -> "GameSettings":
        """A fork is compared with its source's card at the cut, so there must be one, and turns after it."""
        for k in self.fork.at if self.fork else ():
            if k >= self.questions:
                raise ValueError(f"fork.at: {k} is not before the game's end; questions={self.questions}")
            if k % self.card_every:
                raise ValueError(f"fork.at: no card is written after {k} questions; choose multiples of card_every")
        return self

    @model_validator(mode="after")
    def forks_need_judges(self) -> "GameSettings":
        """Which of a paper's games are cut is for the panel to say."""
        if self.fork and not self.judging:
            raise ValueError("judging: forks continue the best and the worst game, so they must be judged")
        return self

    @model_validator(mode="after")
    def pooled_and_solo_meet(self) -> "GameSettings":
        """A pooled game is compared with the solo games' cards at its own length."""
        if self.pool and self.pool.questions > self.questions:
            raise ValueError(f"pool.questions: {self.pool.questions} is longer than a solo game; raise questions")
        if self.pool and self.pool.questions < self.questions and self.pool.questions % self.card_every:
            raise ValueError("pool.questions: solo games have no card there; choose a multiple of card_every")
        return self

    @property
    def papers_folder(self) -> Path:
        """Where the papers are."""
        return self.papers_dir or ROOT / "datasets" / "papers"

    @property
    def surveys_folder(self) -> Path:
        """Where the surveys are."""
        return self.surveys_dir or ROOT / "datasets" / "surveys"

    @property
    def played_replicates(self) -> int:
        """How many of the repeated games this run has: all, or those that are read."""
        return min(self.replicates, self.read_replicates or self.replicates)

    @property
    def seated(self) -> list[str]:
        """Every model that has a seat in it, once."""
        if self.experiment == "judge":
            return list(self.judges)
        pool = (*self.pool.proposers, *self.pool.selectors, self.pool.random, self.pool.best_of) if self.pool else ()
        read = (*(self.annotators or ()), self.tree_annotator, *(self.answerers or ()))
        judges = self.judges if self.judging else ()
        found = [*self.inquisitors, self.answerer, *judges, *pool, *read]
        return list(dict.fromkeys(name for name in found if name is not None))

    @property
    def own_family(self) -> dict[str, tuple[str, ...]]:
        """By judge, the inquisitors of its family."""
        family = {name: spec.family for name, spec in self.models.items()}
        related = {
            judge: tuple(name for name in self.inquisitors if family.get(name) == family.get(judge, ""))
            for judge in self.judges
        }
        return related | self.cast.own_family

    @property
    def left_out(self) -> dict[str, str]:
        """By inquisitor, the judge of its family, which Table 5 does without."""
        related = {name: judge for judge, names in self.own_family.items() for name in names}
        return related | self.cast.left_out
