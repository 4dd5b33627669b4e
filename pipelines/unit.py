"""Units: the smallest things worth playing again, each known by all that can change its result, stage by stage."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from actors.answerer import fitted
from actors.errors import BadInput, unknown
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
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]


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
    cut = {paper.id: fitted(paper, models[settings.answerer].context_tokens)[1] for paper in papers}
    units = []
    for replicate in range(settings.replicates):
        for paper in papers:
            for condition in settings.condition:
                read = None if condition is Condition.NONE else surveys[paper.id].versions[condition].sha256
                for name in settings.inquisitors:
                    seats = (models[name], models[settings.answerer])
                    world = surveys[paper.id].sha256 if any(map(scripted, seats)) else None
                    own = [stage, speakers[name], seen[paper.id], read, world, condition.value, replicate]
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


def scripted(spec: Spec) -> bool:
    """Whether a model's replies come from a world: from the paper, its survey and the seed."""
    return spec.kind is Kind.SCRIPTED


def judgings(settings: Settings, game: Unit, surveys: Mapping[str, Survey], seed: int) -> list[Unit]:
    """One unit for each judge of the panel over one game; ``seed`` is the game's."""
    units = []
    for name in settings.judges:
        spec = settings.models[name]
        world = (surveys[game.paper].sha256, seed) if scripted(spec) else None
        own = {"game": game.id, "judge": spec.identity(), "prompt": prompt_hash("rating"), "world": world}
        more = {"kind": "judging", "judge": name, "game": game.id, "truncated": None, "digest": digest(own)}
        units.append(game.model_copy(update=more))
    return units
