"""Units: the smallest things worth playing again, each known by all that can change its result, stage by stage.

Here are the game's; the idea search's are in search_unit.py. Both have an id, a kind, a parent that they wait for, what
``only.*`` picks them by, and what tables say of them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from sys import intern
from typing import Any, Literal

from actors.answerer import fitted
from actors.errors import BadInput, unknown
from actors.model import Kind, Spec
from actors.paper import Paper
from actors.prompt import prompt_hash
from actors.survey import Condition, Survey
from pipelines.game_settings import GameSettings
from pipelines.search_unit import SearchUnit, digest
from pipelines.settings import Only


@dataclass(frozen=True, slots=True)
class GameUnit:
    """A game, or one judge's ratings of a game. ``model`` is the inquisitor in both.

    ``id`` is ``kind/paper/model/condition/replicate[/judge]/digest``. ``contaminated`` and ``truncated`` are as in the
    table ``units``; they follow from paper and models. Not a row: it stays in the driver, which may hold 100,000.
    """

    id: str
    kind: Literal["game", "judging"]
    paper: str
    model: str
    condition: Condition
    replicate: int
    questions: int
    contaminated: bool | None
    truncated: str | None
    judge: str | None = None
    game: str | None = None

    @property
    def parent(self) -> str | None:
        """The unit that has to be there before."""
        return self.game

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
            "judge": self.judge,
            "game": self.game or self.id,
            "questions": self.questions,
            "contaminated": self.contaminated,
            "truncated": self.truncated,
        }


Unit = GameUnit | SearchUnit


def picked_papers(settings: GameSettings, papers: Mapping[str, Paper]) -> list[Paper]:
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


def games(settings: GameSettings, papers: Sequence[Paper], surveys: Mapping[str, Survey]) -> list[GameUnit]:
    """Every game of a run: replicates outermost, so that a run cut short has all papers and models in it."""
    models, answerer = settings.models, settings.models[settings.answerer]
    fixed = {
        "stage": "game",
        "answerer": answerer.identity(),
        "strategy": settings.strategy.model_dump(mode="json", exclude={"name"}),
        "prompts": {name: prompt_hash(name) for name in ("question", "answer", "card")},
        "questions": settings.questions,
        "card_every": settings.card_every,
        "seed": settings.seed,
    }
    stage = digest(fixed)
    speakers = {name: digest(models[name].identity()) for name in settings.inquisitors}
    worlds = {name: survey.sha256 for name, survey in surveys.items()}
    known = {paper.id: (paper, paper.sha256, fitted(paper, answerer.context_tokens)[1]) for paper in papers}
    units = []
    for replicate in range(settings.replicates):
        for paper, sha256, truncated in known.values():
            for condition in settings.condition:
                read = None if condition is Condition.NONE else surveys[paper.id].versions[condition].sha256
                for name in settings.inquisitors:
                    world = worlds[paper.id] if scripted(models[name]) or scripted(answerer) else None
                    own = [stage, speakers[name], sha256, read, world, condition.value, replicate]
                    path = f"game/{paper.id}/{name}/{condition.value}/r{replicate}/{digest({'own': own})}"
                    facts = (condition, replicate, settings.questions, contaminated(paper, models[name]), truncated)
                    units.append(GameUnit(intern(path), "game", paper.id, name, *facts))
    return units


def contaminated(paper: Paper, inquisitor: Spec) -> bool | None:
    """Whether the paper was public by the model's knowledge cutoff; None where the cutoff is not known."""
    return None if inquisitor.cutoff is None else paper.first_public_date <= inquisitor.cutoff


def scripted(spec: Spec) -> bool:
    """Whether a model's replies come from a world: from the paper, its survey and the seed."""
    return spec.kind is Kind.SCRIPTED


def judgings(
    settings: GameSettings, games: Iterable[GameUnit], surveys: Mapping[str, Survey], seed: int
) -> Iterator[tuple[GameUnit, list[GameUnit]]]:
    """Every game with one unit for each judge of the panel; ``seed`` is the games'."""
    worlds = {name: (survey.sha256, seed) for name, survey in surveys.items()}
    panel = [(name, settings.models[name], settings.models[name].identity()) for name in settings.judges]
    for game in games:
        path, units = game.id.removeprefix("game/").rsplit("/", 1)[0], []
        for name, spec, identity in panel:
            world = worlds[game.paper] if scripted(spec) else None
            own = {"game": game.id, "judge": identity, "prompt": prompt_hash("rating"), "world": world}
            unit = intern(f"judging/{path}/{name}/{digest(own)}")
            units.append(replace(game, id=unit, kind="judging", judge=name, game=game.id, truncated=None))
        yield game, units
