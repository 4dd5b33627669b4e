"""What is played: plain games, forks of stored ones, pooled games, probes; each with an id from all that makes it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from sys import intern
from typing import Any

from actors.answerer import fitted
from actors.errors import BadInput, unknown
from actors.paper import Paper
from actors.prompt import prompt_hash
from actors.survey import Condition, Survey
from pipelines.game_settings import GameSettings
from pipelines.game_unit import GameUnit, contaminated, scripted
from pipelines.search_unit import digest


@dataclass(frozen=True)
class Corpora:
    """The papers of a run and their surveys: what units are made over."""

    papers: Sequence[Paper]
    surveys: Mapping[str, Survey]

    def world(self, paper: str) -> str | None:
        """What a scripted model's replies on a paper come from."""
        survey = self.surveys.get(paper)
        return None if survey is None else survey.sha256


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


def rules(settings: GameSettings, stage: str, prompts: Sequence[str]) -> dict[str, Any]:
    """What all games of one kind share: the answerer, how is asked, the prompts, the seed."""
    return {
        "stage": stage,
        "answerer": settings.models[settings.answerer].identity(),
        "strategy": settings.strategy.model_dump(mode="json", exclude={"name"}),
        "prompts": {name: prompt_hash(name) for name in prompts},
        "card_every": settings.card_every,
        "seed": settings.seed,
    }


def games(settings: GameSettings, corpora: Corpora) -> Iterator[GameUnit]:
    """Every plain game of a run: replicates outermost, so that a run cut short has all papers and models in it."""
    models, answerer = settings.models, settings.models[settings.answerer]
    stage = digest({**rules(settings, "game", ("question", "answer", "card")), "questions": settings.questions})
    speakers = {name: digest(models[name].identity()) for name in settings.inquisitors}
    known = [(paper, paper.sha256, fitted(paper, answerer.context_tokens)[1]) for paper in corpora.papers]
    for replicate in range(settings.played_replicates):
        for paper, sha256, truncated in known:
            for condition in settings.condition:
                survey = None if condition is Condition.NONE else corpora.surveys[paper.id]
                read = None if survey is None else survey.versions[condition].sha256
                for name in settings.inquisitors:
                    by_rule = scripted(models[name]) or scripted(answerer)
                    world = corpora.world(paper.id) if by_rule else None
                    own = [stage, speakers[name], sha256, read, world, condition.value, replicate]
                    path = f"game/{paper.id}/{name}/{condition.value}/r{replicate}/{digest({'own': own})}"
                    facts = (condition, replicate, settings.questions, contaminated(paper, models[name]), truncated)
                    yield GameUnit(intern(path), "game", paper.id, name, *facts)


def forks(settings: GameSettings, sources: Iterable[tuple[GameUnit, str]]) -> Iterator[GameUnit]:
    """The continuations of some games, each given with its side, best or worst."""
    assert settings.fork is not None
    for game, side in sources:
        path = game.id.removeprefix("game/").rsplit("/", 1)[0]
        for cut in settings.fork.at:
            for number in range(settings.fork.continuations):
                name = digest({"stage": "fork", "source": game.id, "cut": cut, "continuation": number})
                unit = intern(f"fork/{path}/k{cut}/c{number}/{name}")
                yield replace(game, id=unit, kind="fork", source=game.id, side=side, cut=cut, continuation=number)


def pooled(settings: GameSettings, corpora: Corpora) -> Iterator[GameUnit]:
    """Every pooled game: each selector's, the random pick's, and the one of a model that picks among its own."""
    pool, models, answerer = settings.pool, settings.models, settings.models[settings.answerer]
    assert pool is not None
    stage = {**rules(settings, "pool", ("question", "pick", "answer", "card")), "questions": pool.questions}
    picks = [("model", name) for name in pool.selectors]
    picks += [(way, name) for way, name in (("random", pool.random), ("best_of", pool.best_of)) if name is not None]
    known = [(paper, fitted(paper, answerer.context_tokens)[1]) for paper in corpora.papers]
    for replicate in range(settings.played_replicates):
        for paper, truncated in known:
            for way, name in picks:
                asking = proposers(settings, way, name)
                seats = {one: models[one].identity() for one in (*asking, name)}
                by_rule = scripted(answerer) or any(scripted(models[one]) for one in seats)
                made = {"way": way, "picks": name, "proposers": asking, "seats": seats, "paper": paper.sha256}
                world = corpora.world(paper.id) if by_rule else None
                own = digest({**stage, **made, "world": world, "replicate": replicate})
                path = f"pool/{paper.id}/{name}/none/r{replicate}/{way}/{own}"
                may_know = contaminated(paper, *(models[one] for one in seats))
                facts = (replicate, pool.questions, may_know, truncated)
                yield GameUnit(intern(path), "pool", paper.id, name, Condition.NONE, *facts, selection=way)


def proposers(settings: GameSettings, way: str, name: str) -> tuple[str, ...]:
    """Who proposes: the pool's proposers, or for best_of one model as often as there are of them."""
    assert settings.pool is not None
    return (name,) * len(settings.pool.proposers) if way == "best_of" else settings.pool.proposers


def probes(settings: GameSettings, corpora: Corpora) -> Iterator[GameUnit]:
    """One probe for each paper and inquisitor: all its lists."""
    assert settings.probe is not None
    for paper in corpora.papers:
        for name in settings.inquisitors:
            spec = settings.models[name]
            made = {"stage": "probe", "prompt": prompt_hash("candidates"), **settings.probe.model_dump()}
            seats = {"model": spec.identity(), "strategy": settings.strategy.temperature, "seed": settings.seed}
            world = corpora.world(paper.id) if scripted(spec) else None
            own = digest({**made, **seats, "paper": paper.sha256, "world": world})
            path = intern(f"probe/{paper.id}/{name}/none/r0/{own}")
            facts = (Condition.NONE, 0, 0, contaminated(paper, spec), None)
            yield GameUnit(path, "probe", paper.id, name, *facts)
