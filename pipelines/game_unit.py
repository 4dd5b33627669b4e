"""A unit of the questioning game: something that is played, or one reader's work on something that was played."""

from dataclasses import dataclass
from typing import Any, Literal, get_args

from actors.model import Kind, Spec
from actors.paper import Paper
from actors.survey import Condition
from pipelines.settings import Only

Played = Literal["game", "fork", "pool", "probe"]
Read = Literal["judging", "recognition", "mentions", "lines", "tree", "answers"]
PLAYED: tuple[str, ...] = get_args(Played)


@dataclass(frozen=True, slots=True)
class GameUnit:
    """A game of some kind, or what one model reads out of it. ``model`` is the inquisitor in both.

    game       T questions from the problem on
    fork       the game ``source`` from its turn ``cut`` on, by the same model; ``side``: best or worst of the paper's
    pool       a pooled game; ``model`` picks the questions (``selection``), or writes the cards of a random pick
    probe      closed book: candidate solutions from the problem alone
    judging    a panel member's ratings of the cards of ``game``; the other kinds are in actors/reading.py

    ``id`` is ``kind/paper/model/condition/rREPLICATE[/more]/digest``. ``contaminated`` and ``truncated`` are as in the
    table ``units``; they follow from paper and models. Not a row: it stays in the driver, which may hold 100,000.
    """

    id: str
    kind: Played | Read
    paper: str
    model: str
    condition: Condition
    replicate: int
    questions: int
    contaminated: bool | None
    truncated: str | None
    reader: str | None = None
    game: str | None = None
    source: str | None = None
    side: str | None = None
    cut: int | None = None
    continuation: int | None = None
    selection: str | None = None

    @property
    def parent(self) -> str | None:
        """The unit that has to be there before."""
        return self.game or self.source

    @property
    def speaker(self) -> str:
        """The model whose actors play or read it."""
        return self.reader or self.model

    def choices(self) -> dict[str, Any]:
        """What ``only.*`` may pick it by."""
        return {"paper": self.paper, "model": self.model, "replicate": self.replicate, "condition": self.condition}

    def chosen(self, only: Only) -> bool:
        """Whether ``only.*`` leaves it in."""
        return only.leaves(self.choices())

    def keys(self) -> dict[str, Any]:
        """The columns that every table of the game begins with."""
        return {
            "unit": self.id,
            "paper": self.paper,
            "model": self.model,
            "condition": self.condition.value,
            "replicate": self.replicate,
        }

    def facts(self) -> dict[str, Any]:
        """What is known of it before it is played, as columns of ``units``."""
        return {
            "kind": self.kind,
            "reader": self.reader,
            "game": self.game or self.id,
            "source": self.source,
            "side": self.side,
            "cut": self.cut,
            "continuation": self.continuation,
            "selection": self.selection,
            "questions": self.questions or None,
            "contaminated": self.contaminated,
            "truncated": self.truncated,
        }


def contaminated(paper: Paper, *players: Spec) -> bool | None:
    """Whether the paper was public by a player's knowledge cutoff; None where that hangs on an unknown cutoff."""
    known = [paper.first_public_date <= player.cutoff for player in players if player.cutoff is not None]
    return True if any(known) else (False if len(known) == len(players) else None)


def scripted(spec: Spec) -> bool:
    """Whether a model's replies come from a world: from the paper, its survey and the seed."""
    return spec.kind is Kind.SCRIPTED
