"""`heuresis report`: from run folders to tables, figures and one page."""

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
from rich.text import Text

from actors.errors import BadInput
from pipelines.analysis.scores import left_out
from pipelines.report.facts import facts
from pipelines.report.figures import Drawing, drawings, drawn
from pipelines.report.games import games
from pipelines.report.grid import grids
from pipelines.report.load import Runs, load
from pipelines.report.page import MAX_BYTES, Page, render
from pipelines.report.sample import choose
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
    games_shown: int
    games_chosen: int

    @property
    def summary(self) -> Text:
        """`pipelines.report.summary.summary` for a terminal; as Text, so that no name in it is taken for markup."""
        return Text(summary(self.tables))

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
    """Writes tables/, figures/ and page.html to ``out``, by default report/ in the first run folder.

    BadInput if a folder is not a run's, or ``out`` cannot be written. ``max_bytes`` bounds the page.
    """
    if not 0 <= seed < 2**31:
        raise BadInput(f"--seed {seed}: must be from 0 to {2**31 - 1}")
    runs = load(run_dirs)
    folder = runs.dirs[0] / "report" if out is None else Path(out)
    tables = make_tables(runs, seed)
    for name, table in tables.items():
        write_table(table, folder / "tables", name)
    figures: list[tuple[str, str]] = []
    paths: list[Path] = []
    for drawing in drawings(tables):
        figures.append((drawing.kind, _draw(drawing, folder / "figures", paths)))
    page = _page(runs, tables, figures, seed)
    html, shown = render(page, max_bytes)
    with finished(folder / "page.html") as path:
        path.write_text(html, encoding="utf-8")
    return ReportResult(
        page=folder / "page.html",
        tables=tables,
        figures=tuple(paths),
        warnings=page.facts.warnings,
        games_shown=shown,
        games_chosen=len(page.games),
    )


def _page(runs: Runs, tables: dict[str, pd.DataFrame], figures: Sequence[tuple[str, str]], seed: int) -> Page:
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
