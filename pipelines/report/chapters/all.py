"""Every chapter, in the order of the page, and what a report makes of them."""

from collections.abc import Callable, Iterator

import pandas as pd

from pipelines.analysis.reported import reported
from pipelines.report.chapters import answerers, forks, judges, mentions, pools, probes, surveys, trajectories, trees
from pipelines.report.chapters.chapter import Chapter, Evidence, Tables, Told
from pipelines.report.figures import Drawing
from pipelines.report.grid import Grid, Show, grid
from pipelines.report.words import real

CHAPTERS: tuple[Chapter, ...] = (
    trajectories.CHAPTER,
    surveys.CHAPTER,
    mentions.CHAPTER,
    forks.CHAPTER,
    pools.CHAPTER,
    probes.CHAPTER,
    trees.CHAPTER,
    judges.CHAPTER,
    answerers.CHAPTER,
)


def chapter_tables(evidence: Evidence) -> Tables:
    """The tables of all chapters, by name."""
    return {name: frame for chapter in CHAPTERS for name, frame in chapter.tables(evidence).items()}


def told(tables: Tables, draw: Callable[[Drawing], str]) -> Iterator[Told]:
    """The chapters that have something to show."""
    values = reported()
    for chapter in CHAPTERS:
        grids = chapter.grids(tables)
        drawn = [(one.kind, draw(one)) for one in chapter.drawings(tables)]
        if grids or drawn:
            yield Told(
                chapter, grids, drawn, reported_grid(chapter, values), chapter.gallery(tables), chapter.pair(tables)
            )


def missing(tables: Tables) -> list[Chapter]:
    """The chapters that these runs have nothing for."""
    return [chapter for chapter in CHAPTERS if not any(len(tables[name]) for name in chapter.shown)]


def reported_grid(chapter: Chapter, values: pd.DataFrame) -> Grid | None:
    """What the paper reports for a chapter, to stand beside one's own."""
    if not chapter.reported:
        return None
    rows = values.loc[values["table"].isin(chapter.reported)]
    shows = (Show("in", "table"), Show("row", "row"), Show("column", "column"), Show("value", "value", real))
    caption = (
        "As reported for the published models on the paper's own 200 papers (arXiv 2611.14487): a yardstick for runs"
        " with the published cast, not what must come out."
    )
    return grid("as_the_paper_reports", rows, shows, caption)
