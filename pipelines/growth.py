"""Units that are known only when others have ended: the forks of each paper's best and worst game (Table 1)."""

from collections import defaultdict
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from statistics import fmean

from actors.survey import Condition
from pipelines.game_settings import GameSettings
from pipelines.game_unit import GameUnit
from pipelines.played_units import forks
from pipelines.reading_units import Reader, with_readings
from pipelines.store import Store
from pipelines.work import Work

Group = tuple[str, str, Condition]
"""A paper, a model, and what it read: a survey's help is no better beginning."""


def grown(works: Sequence[Work], store: Store, to_play: Set[str]) -> list[Work]:
    """The runs, with the forks of every paper and model whose games are all played and rated.

    to_play: units that are to be played still, whatever the store has of them: under force= it has an older life.
    """
    return [
        with_forks(work, store, to_play) if isinstance(work.settings, GameSettings) and work.settings.fork else work
        for work in works
    ]


def with_forks(work: Work, store: Store, to_play: Set[str]) -> Work:
    """One run, with what it has grown: forks by today's ratings alone."""
    rated = final_scores(work, store, to_play)
    planned = [unit for unit in work.units if not (isinstance(unit, GameUnit) and unit.source)]
    sources = [pair for scores in rated.values() if scores is not None for pair in ends(scores)]
    new = with_readings(
        work.game, forks(work.game, sources), Reader(work.game, work.corpus.papers, work.corpus.surveys, work.game.seed)
    )
    return replace(work, units=[*planned, *new])


def unsettled(work: Work, store: Store) -> int:
    """How many pairs of paper and model lack a game or a rating that their forks wait for."""
    if not (isinstance(work.settings, GameSettings) and work.settings.fork):
        return 0
    return len({group[:2] for group, scores in final_scores(work, store).items() if scores is None})


def final_scores(
    work: Work, store: Store, to_play: Set[str] = frozenset()
) -> dict[Group, list[tuple[GameUnit, float]] | None]:
    """Games by group, with the panel's mean for the final card; None where one is not there yet."""
    judged: dict[str, list[str]] = defaultdict(list)
    games = [unit for unit in work.units if isinstance(unit, GameUnit) and unit.kind == "game"]
    for unit in work.units:
        if isinstance(unit, GameUnit) and unit.kind == "judging" and unit.game:
            judged[unit.game].append(unit.id)
    found: dict[Group, list[tuple[GameUnit, float]] | None] = {}
    for game in games:
        group, panel = (game.paper, game.model, game.condition), judged[game.id]
        before = found.setdefault(group, [])
        if before is None or not to_play.isdisjoint((game.id, *panel)):
            found[group] = None
            continue
        scores = [final(store, unit, game.questions) for unit in panel]
        complete = [score for score in scores if score is not None]
        if not complete or len(complete) < len(scores):
            found[group] = None
        else:
            before.append((game, fmean(complete)))
    return found


def final(store: Store, judging: str, t: int) -> float | None:
    """One judge's score for the card after ``t`` questions."""
    entry = store.finished(judging)
    if entry is None or entry.status != "ok":
        return None
    return next((row["score"] for row in store.plain(judging)["rows"]["ratings"] if row["t"] == t), None)


def ends(scores: Sequence[tuple[GameUnit, float]]) -> Iterator[tuple[GameUnit, str]]:
    """The best and the worst of a paper's games, the first of equals; none where all are alike."""
    best, worst = max(scores, key=lambda pair: pair[1]), min(scores, key=lambda pair: pair[1])
    if best[1] > worst[1]:
        yield best[0], "best"
        yield worst[0], "worst"
