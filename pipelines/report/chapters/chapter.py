"""A chapter of the page: what one experiment asks, the tables and figures that answer, what the paper reports."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

import pandas as pd

from pipelines.report.chapters.gallery import Gallery
from pipelines.report.chapters.terms import Pair
from pipelines.report.figures import Drawing
from pipelines.report.grid import Grid, Show, grid
from pipelines.report.load import Runs

Tables = dict[str, pd.DataFrame]


@dataclass(frozen=True)
class Evidence:
    """What chapters are made from. scores: of cards of every kind of game (analysis/scores.py), graded: by judge.

    own_family: by judge, the inquisitors of its family; left_out: by inquisitor, the judge that Table 5 leaves out.
    """

    runs: Runs
    scores: pd.DataFrame
    graded: pd.DataFrame
    seed: int
    own_family: Mapping[str, Collection[str]] = field(default_factory=dict)
    left_out: Mapping[str, str] = field(default_factory=dict)

    @property
    def plain(self) -> pd.DataFrame:
        """The scores of plain games alone."""
        return self.scores.loc[self.scores["kind"] == "game"]

    @property
    def games(self) -> set[str]:
        """The units that are plain games: no forks, no pooled games, no probes."""
        return set(self.runs.units.loc[self.runs.units["kind"] == "game", "unit"])


@dataclass(frozen=True)
class Chapter:
    """One experiment on the page.

    name: its anchor. asks: one sentence on what was done. needs: the command that makes what it shows. tables: from
    `Evidence` to named frames, empty where there is nothing. shown, captions: how each is shown and what stands below.
    drawings: figures from the tables; figures: their captions by kind. reported: tables of datasets/reported.csv.
    folded: tables that a reader opens. gallery: the trees of questions to draw on the page. pair: two cards to compare.
    besides: what else must be there, where the command alone does not make it.
    """

    name: str
    title: str
    asks: str
    needs: str
    tables: Callable[[Evidence], Tables]
    shown: Mapping[str, Sequence[Show]]
    captions: Mapping[str, str]
    drawings: Callable[[Tables], list[Drawing]] = lambda _: []
    figures: Mapping[str, str] = field(default_factory=dict)
    reported: Sequence[str] = ()
    folded: Collection[str] = ()
    gallery: Callable[[Tables], Gallery | None] = lambda _: None
    pair: Callable[[Tables], Pair | None] = lambda _: None
    besides: str = ""

    def grids(self, tables: Tables) -> list[Grid]:
        """Its tables that have rows, ready for the page."""
        rows = {name: tables[name] for name in self.shown if len(tables[name])}
        return [grid(name, frame, self.shown[name], self.captions[name]) for name, frame in rows.items()]


@dataclass(frozen=True)
class Told:
    """A chapter that has something to show; drawings as (kind, SVG made for inlining)."""

    chapter: Chapter
    grids: Sequence[Grid]
    drawings: Sequence[tuple[str, str]]
    reported: Grid | None
    gallery: Gallery | None = None
    pair: Pair | None = None
