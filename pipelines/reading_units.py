"""What is read out of what was played: one unit for each reader, so that one reader more pays for that one alone."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from sys import intern

from actors.answerer import fitted
from actors.paper import Paper
from actors.prompt import prompt_hash
from actors.survey import Condition, Survey
from pipelines.game_settings import GameSettings
from pipelines.game_unit import GameUnit, Read, scripted
from pipelines.search_unit import digest

PROMPTS: Mapping[Read, tuple[str, ...]] = {
    "judging": ("rating",),
    "recognition": ("recognition",),
    "mentions": ("mentions", "card_mention"),
    "lines": ("lines",),
    "tree": ("parents",),
    "answers": ("answer",),
}
BATCHED = ("mentions", "lines", "tree")
SURVEYED = ("recognition", "mentions", "lines")
"""What hangs on the paper's survey, whoever reads."""


class Reader:
    """The readings of one run: ``seed`` is the games' own, which a scripted reader's world hangs on."""

    def __init__(
        self, settings: GameSettings, papers: Mapping[str, Paper], surveys: Mapping[str, Survey], seed: int
    ) -> None:
        self._settings = settings
        self._papers = papers
        self._worlds = {name: (survey.sha256, seed) for name, survey in surveys.items()}

    def read(self, kind: Read, readers: Sequence[str]) -> Callable[[GameUnit], Iterator[GameUnit]]:
        """From a played unit to its readings of one kind, one for each reader."""
        prompts = [prompt_hash(name) for name in PROMPTS[kind]]
        models = self._settings.models
        panel = [(name, scripted(models[name]), models[name].identity()) for name in readers]
        batch = self._settings.batch if kind in BATCHED else None

        @cache
        def left_out(paper: str, name: str) -> str | None:
            """What a candidate answerer's own context leaves out of the evidence; the others read none."""
            return fitted(self._papers[paper], models[name].context_tokens)[1] if kind == "answers" else None

        def readings(game: GameUnit) -> Iterator[GameUnit]:
            path = game.id.rsplit("/", 1)[0]
            for name, by_rule, identity in panel:
                world = self._worlds.get(game.paper) if by_rule or kind in SURVEYED else None
                own = {"game": game.id, "judge": identity, "prompt": prompts, "world": world, "batch": batch}
                unit = intern(f"{kind}/{path}/{name}/{digest(own)}")
                yield replace(game, id=unit, kind=kind, reader=name, game=game.id, truncated=left_out(game.paper, name))

        return readings


def wanted(settings: GameSettings, game: GameUnit) -> list[tuple[Read, Sequence[str]]]:
    """Which readings a run has of a played unit, and by whom."""
    if game.kind == "probe":
        return [("recognition", settings.annotators or ())]
    found: list[tuple[Read, Sequence[str]]] = [("judging", settings.judges)] if settings.judging else []
    if settings.experiment == "mentions":
        found.append(("mentions", settings.annotators or ()))
        if game.condition is not Condition.NONE:
            found.append(("lines", settings.annotators or ()))
    if settings.experiment == "tree" and settings.tree_annotator:
        found.append(("tree", (settings.tree_annotator,)))
    if settings.experiment == "answerer":
        found.append(("answers", settings.answerers or ()))
    return found


def with_readings(settings: GameSettings, played: Iterable[GameUnit], reader: Reader) -> list[GameUnit]:
    """Each played unit, followed by its readings."""
    units: list[GameUnit] = []
    for game in played:
        units.append(game)
        for kind, readers in wanted(settings, game):
            units += reader.read(kind, readers)(game)
    return units
