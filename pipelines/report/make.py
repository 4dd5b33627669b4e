"""`heuresis report`: from run folders to tables, figures and one page."""

import hashlib
import io
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
from rich.text import Text

from actors.errors import BadInput
from pipelines.analysis.scores import left_out
from pipelines.report.chapters.all import missing, told
from pipelines.report.chapters.chapter import Tables, Told
from pipelines.report.facts import facts
from pipelines.report.figures import Drawing, drawings, drawn
from pipelines.report.folders import distinct, of_searches
from pipelines.report.games import games
from pipelines.report.grid import grids
from pipelines.report.load import Runs, load
from pipelines.report.page import MAX_BYTES, Page, render
from pipelines.report.sample import choose
from pipelines.report.search_captions import TOKENS_UNKNOWN
from pipelines.report.search_facts import search_facts
from pipelines.report.search_figures import best_drawings, cluster_drawings
from pipelines.report.search_grids import search_grids, search_summary
from pipelines.report.search_load import Searches, load_searches
from pipelines.report.search_page import SearchPage, render_searches
from pipelines.report.search_story import stories
from pipelines.report.search_tables import make_search_tables
from pipelines.report.summary import summary
from pipelines.report.tables import make_tables
from pipelines.report.theme import inline
from pipelines.report.write import finished, write_table

NO_DATE = {"Date": None, "Creator": None, "Format": None, "Type": None}


@dataclass(frozen=True)
class ReportResult:
    """Where a report lies and what it says."""

    page: Path
    tables: Mapping[str, pd.DataFrame]
    """By name; each is also tables/NAME.csv and .parquet beside the page."""
    figures: tuple[Path, ...]
    warnings: tuple[str, ...]
    said: str
    """A few lines for the terminal."""
    games_shown: int = 0
    games_chosen: int = 0
    codes_left_out: int = 0
    """Branches of searches whose code the page does not hold."""

    @property
    def summary(self) -> Text:
        """``said`` for a terminal; as Text, so that no name in it is taken for markup."""
        return Text(self.said)

    def paths(self) -> dict[str, object]:
        """Where everything lies, and the warnings, ready for JSON."""
        return {
            "page": str(self.page),
            "tables": [str(self.page.parent / "tables" / f"{name}.parquet") for name in self.tables],
            "figures": [str(path) for path in self.figures],
            "warnings": list(self.warnings),
        }


def make_report(
    run_dirs: Sequence[Path], out: Path | None = None, seed: int = 0, max_bytes: int = MAX_BYTES
) -> ReportResult:
    """Writes tables/, figures/ and page.html to ``out``, by default to `place_of` the run folders.

    The runs are of games or of searches. BadInput if a folder is not a run's, if there are both, or ``out`` cannot be
    written. ``max_bytes`` bounds the page; ``seed`` is the bootstrap's, which a report of searches does not have.
    """
    if not 0 <= seed < 2**31:
        raise BadInput(f"--seed {seed}: must be from 0 to {2**31 - 1}")
    dirs = distinct(run_dirs)
    folder = place_of(dirs) if out is None else Path(out)
    if of_searches(dirs):
        return _of_searches(load_searches(dirs), folder, max_bytes)
    return _of_games(load(dirs), folder, seed, max_bytes)


def place_of(dirs: Sequence[Path]) -> Path:
    """Where a report goes by default: report/ in a run's folder, and what compares several beside the first of them.

    That is reports/ and eight hex digits over the folders as they lie to one another, in any order: so a comparison
    overwrites no run's own page, and the same comparison is in the same place, wherever outputs/ is moved.
    """
    beside = dirs[0].resolve().parent
    names = sorted({os.path.relpath(path.resolve(), beside) for path in dirs})
    if len(names) == 1:
        return dirs[0] / "report"
    return dirs[0].parent / "reports" / hashlib.sha256("\n".join(names).encode()).hexdigest()[:8]


def _of_games(runs: Runs, folder: Path, seed: int, max_bytes: int) -> ReportResult:
    tables = make_tables(runs, seed)
    paths: list[Path] = []
    _write(tables, folder)
    figures = [(one.kind, _draw(one, folder / "figures", paths)) for one in drawings(tables)]
    chapters = list(told(tables, lambda one: _draw(one, folder / "figures", paths)))
    page = _page(runs, tables, figures, chapters, seed)
    html, shown = render(page, max_bytes)
    return ReportResult(
        page=_put(html, folder),
        tables=tables,
        figures=tuple(paths),
        warnings=page.facts.warnings,
        said=summary(tables),
        games_shown=shown,
        games_chosen=len(page.games),
    )


def _of_searches(runs: Searches, folder: Path, max_bytes: int) -> ReportResult:
    tables = make_search_tables(runs)
    paths: list[Path] = []
    _write(tables, folder)
    told = stories(runs, tables)
    units = [str(story.head["unit"]) for story in told]
    heats = cluster_drawings(tables["cluster_scores"], units)
    page = SearchPage(
        name=" + ".join(path.resolve().name for path in runs.dirs),
        facts=search_facts(runs, tables),
        grids=search_grids(tables),
        figures=[(one.kind, _draw(one, folder / "figures", paths)) for one in best_drawings(tables)],
        heats={unit: _draw(one, folder / "figures", paths) for unit, one in heats.items()},
        stories=told,
        tokens_said="" if tables["best_so_far"]["axis"].eq("tokens").any() else TOKENS_UNKNOWN,
        files=runs.files,
    )
    html, left = render_searches(page, max_bytes)
    return ReportResult(
        page=_put(html, folder),
        tables=tables,
        figures=tuple(paths),
        warnings=page.facts.warnings,
        said=search_summary(tables, page.facts),
        codes_left_out=left.branches + left.codes,
    )


def _write(tables: Mapping[str, pd.DataFrame], folder: Path) -> None:
    for name, table in tables.items():
        write_table(table, folder / "tables", name)


def _put(html: str, folder: Path) -> Path:
    """The page where it lies."""
    with finished(folder / "page.html") as path:
        path.write_text(html, encoding="utf-8")
    return folder / "page.html"


def _page(runs: Runs, tables: Tables, figures: Sequence[tuple[str, str]], chapters: Sequence[Told], seed: int) -> Page:
    sample = choose(runs.units, tables["scores"])
    return Page(
        name=" + ".join(path.resolve().name for path in runs.dirs),
        facts=facts(runs, tables),
        grids=grids(tables),
        figures=figures,
        sample=sample,
        games=games(runs, sample, tables["scores"]),
        left_out=f"{left_out(tables['scores'])}.".capitalize(),
        seed=seed,
        files=runs.files,
        chapters=chapters,
        missing=missing(tables),
    )


def _draw(drawing: Drawing, folder: Path, paths: list[Path]) -> str:
    """Writes the figure as svg and png, adds both to ``paths``, and returns it ready for the page."""
    with drawn(drawing) as figure:
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata=NO_DATE)
        for suffix in ("svg", "png"):
            target = folder / f"{drawing.name}.{suffix}"
            with finished(target) as path:
                if suffix == "svg":
                    path.write_text(text.getvalue(), encoding="utf-8")
                else:
                    figure.savefig(path, format="png", dpi=200, metadata={"Software": None})
            paths.append(target)
    return inline(text.getvalue(), drawing.name, drawing.label)
