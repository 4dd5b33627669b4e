"""Units that are known only when others have ended: the forks of each paper's best and worst game (Table 1)."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from statistics import fmean

from pipelines.game_settings import GameSettings
from pipelines.game_unit import GameUnit
from pipelines.played_units import forks
from pipelines.reading_units import Reader, with_readings
from pipelines.store import Store
from pipelines.work import Work

Group = tuple[str, str]
"""A paper and a model."""


def grown(works: Sequence[Work], store: Store) -> list[Work]:
    """The runs, with the forks of every paper and model whose games are all played and rated."""
    return [
        with_forks(work, store) if isinstance(work.settings, GameSettings) and work.settings.fork else work
        for work in works
    ]


def with_forks(work: Work, store: Store) -> Work:
    """One run, with what it has grown."""
    rated = final_scores(work, store)
    known = {unit.id for unit in work.units}
    sources = [pair for scores in rated.values() if scores is not None for pair in ends(scores)]
    new = with_readings(work.game, forks(work.game, sources), Reader(work.game, work.corpus.surveys, work.game.seed))
    return replace(work, units=[*work.units, *(unit for unit in new if unit.id not in known)])


def unsettled(work: Work, store: Store) -> int:
    """How many pairs of paper and model lack a game or a rating that their forks wait for."""
    if not (isinstance(work.settings, GameSettings) and work.settings.fork):
        return 0
    return sum(scores is None for scores in final_scores(work, store).values())


def final_scores(work: Work, store: Store) -> dict[Group, list[tuple[GameUnit, float]] | None]:
    """Each paper's and model's games with the panel's mean for the final card; None where one is not there yet."""
    judged: dict[str, list[str]] = defaultdict(list)
    games = [unit for unit in work.units if isinstance(unit, GameUnit) and unit.kind == "game"]
    for unit in work.units:
        if isinstance(unit, GameUnit) and unit.kind == "judging" and unit.game:
            judged[unit.game].append(unit.id)
    found: dict[Group, list[tuple[GameUnit, float]] | None] = {}
    for game in games:
        group, scores = (game.paper, game.model), [final(store, unit, game.questions) for unit in judged[game.id]]
        before = found.setdefault(group, [])
        complete = [score for score in scores if score is not None]
        if before is None or not complete or len(complete) < len(scores):
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
