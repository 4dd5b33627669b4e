"""Units: the smallest things worth playing again, each known by all that can change its result, stage by stage."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import orjson

from actors.answerer import fitted
from actors.fault import BadInput, unknown
from actors.model import Kind, Spec
from actors.paper import Paper
from actors.prompt import prompt_hash
from actors.row import Row
from actors.survey import Condition, Survey
from pipelines.settings import Only, Settings


class Unit(Row):
    """A game, or one judge's ratings of a game. ``model`` is the inquisitor in both.

    ``contaminated`` and ``truncated`` are as in the table ``units``; they follow from paper and models.
    """

    kind: Literal["game", "judging"]
    paper: str
    model: str
    condition: Condition
    replicate: int
    questions: int
    judge: str | None = None
    game: str | None = None
    digest: str
    contaminated: bool | None
    truncated: str | None

    @property
    def id(self) -> str:
        """``kind/paper/model/condition/replicate[/judge]/digest``."""
        path = [self.kind, self.paper, self.model, self.condition.value, f"r{self.replicate}"]
        return "/".join([*path, *([self.judge] if self.judge else []), self.digest])

    def chosen(self, only: Only) -> bool:
        """Whether ``only.*`` leaves it in."""
        return all(
            picked is None or value in picked
            for value, picked in (
                (self.paper, only.paper),
                (self.model, only.model),
                (self.replicate, only.replicate),
                (self.condition, only.condition),
            )
        )


def digest(content: Mapping[str, Any]) -> str:
    """Sixteen hex digits of the SHA-256 of ``content``."""
    return hashlib.sha256(orjson.dumps(content, option=orjson.OPT_SORT_KEYS)).hexdigest()[:16]


def picked_papers(settings: Settings, papers: Mapping[str, Paper]) -> list[Paper]:
    """The run's papers: all, the first n by id, or those named."""
    if settings.papers == "all":
        return list(papers.values())
    if isinstance(settings.papers, int):
        if settings.papers > len(papers):
            raise BadInput(f"papers={settings.papers}: {settings.papers_folder} holds only {len(papers)}")
        return list(papers.values())[: settings.papers]
    for name in settings.papers:
        if name not in papers:
            raise BadInput(unknown("paper", name, list(papers), f"papers are read from {settings.papers_folder}"))
    return [papers[name] for name in settings.papers]


def games(settings: Settings, papers: Sequence[Paper], surveys: Mapping[str, Survey]) -> list[Unit]:
    """Every game of a run: replicates outermost, so that a run cut short has all papers and models in it."""
    models = settings.models
    scripted = any(models[name].kind is Kind.SCRIPTED for name in (*settings.inquisitors, settings.answerer))
    fixed = {
        "stage": "game",
        "answerer": models[settings.answerer].identity(),
        "strategy": settings.strategy.model_dump(mode="json", exclude={"name"}),
        "prompts": {name: prompt_hash(name) for name in ("question", "answer", "card")},
        "questions": settings.questions,
        "card_every": settings.card_every,
        "seed": settings.seed,
    }
    stage = digest(fixed)
    speakers = {name: digest(models[name].identity()) for name in settings.inquisitors}
    seen = {paper.id: paper.sha256 for paper in papers}
    worlds = {paper.id: surveys[paper.id].sha256 if scripted else None for paper in papers}
    cut = {paper.id: fitted(paper, models[settings.answerer].context_tokens)[1] for paper in papers}
    units = []
    for replicate in range(settings.replicates):
        for paper in papers:
            for condition in settings.condition:
                read = None if condition is Condition.NONE else surveys[paper.id].versions[condition].sha256
                for name in settings.inquisitors:
                    own = [stage, speakers[name], seen[paper.id], read, worlds[paper.id], condition.value, replicate]
                    units.append(
                        Unit(
                            kind="game",
                            paper=paper.id,
                            model=name,
                            condition=condition,
                            replicate=replicate,
                            questions=settings.questions,
                            digest=digest({"own": own}),
                            contaminated=contaminated(paper, models[name]),
                            truncated=cut[paper.id],
                        )
                    )
    return units


def contaminated(paper: Paper, inquisitor: Spec) -> bool | None:
    """Whether the paper was public by the model's knowledge cutoff; None where the cutoff is not known."""
    return None if inquisitor.cutoff is None else paper.first_public_date <= inquisitor.cutoff


def judgings(settings: Settings, game: Unit) -> list[Unit]:
    """One unit for each judge of the panel over one game."""
    return [
        game.model_copy(
            update={
                "kind": "judging",
                "judge": name,
                "game": game.id,
                "truncated": None,
                "digest": digest(
                    {"game": game.id, "judge": settings.models[name].identity(), "prompt": prompt_hash("rating")}
                ),
            }
        )
        for name in settings.judges
    ]
