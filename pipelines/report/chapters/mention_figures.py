"""Figures on surveys: the final score by what was asked (Table 7), and a line beside its neighbours (Table 8)."""

from functools import partial

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from pipelines.analysis.lines import WINDOWS
from pipelines.analysis.order import CONDITIONS
from pipelines.report.chapters.marks import row_axes, series
from pipelines.report.figures import SCALE, Drawing

ASKED, LINES = "mention-scores", "lines"
CLASSES = ("decoy", "full: not asked", "full: asked, never YES", "full: asked and YES")
PARTS = (("own", "its own line", 0), ("neighbours", "a line beside it", 1))


def mention_drawings(tables: dict[str, pd.DataFrame]) -> list[Drawing]:
    """Both kinds, one figure a length of game, and of lines one a condition and window."""
    return [*_scores(tables["split_scores"]), *_lines(tables["line_rates"])]


def _scores(split: pd.DataFrame) -> list[Drawing]:
    shown = split.loc[split["asked"].isin(CLASSES)]
    several = shown["questions"].nunique() > 1
    found = []
    for questions, rows in shown.groupby("questions"):
        title, end = (f"T = {questions}", f"-{questions}") if several else ("", "")
        draw = partial(_by_class, rows, title)
        found.append(Drawing(ASKED, f"{ASKED}{end}", f"final score by what was asked {title}".strip(), draw))
    return found


def _lines(rates: pd.DataFrame) -> list[Drawing]:
    several = rates["questions"].nunique() > 1
    found = []
    for (questions, condition, window), rows in rates.groupby(["questions", "condition", "window"], observed=True):
        title = f"survey: {condition}, {window} questions" + (f", T = {questions}" if several else "")
        name = f"{LINES}-{condition}-{str(window).replace(' ', '-')}" + (f"-{questions}" if several else "")
        rank = (CONDITIONS.index(str(condition)), int(str(questions)), WINDOWS.index(str(window)))
        label = f"lines asked about by model, {title}"
        found.append((rank, Drawing(LINES, name, label, partial(_by_line, rows, title))))
    return [one for _, one in sorted(found, key=lambda pair: pair[0])]


def _by_class(rows: pd.DataFrame, title: str, figure: Figure) -> None:
    """Each model's mean score in each class, with its t-interval."""
    names = sorted(rows["model"].unique())
    axes, at = row_axes(figure, names, title), {name: place for place, name in enumerate(names)}
    present = [name for name in CLASSES if (rows["asked"] == name).any()]
    for place, name in enumerate(present):
        part = rows.loc[rows["asked"] == name]
        series(axes, part["model"].map(at), part[["mean", "low", "high"]], name, place, len(present))
    axes.set_xlim(*SCALE)
    axes.set_xlabel("final score (panel mean, 1–10)")
    figure.legend(loc="outside lower center", ncols=2, frameon=False, fontsize=9.5, handletextpad=0.3)


def _by_line(rows: pd.DataFrame, title: str, figure: Figure) -> None:
    """Each model's share of games that ask about the line, and about its neighbours, with t-intervals."""
    names = sorted(rows["model"].unique())
    axes, at = row_axes(figure, names, title), {name: place for place, name in enumerate(names)}
    for value, said, place in PARTS:
        part = rows[[value, f"{value}_low", f"{value}_high"]]
        series(axes, rows["model"].map(at), part, said, place, len(PARTS))
    axes.set_xlim(-0.03, 1.03)
    axes.set_xticks(np.linspace(0, 1, 6), [f"{share:.0%}" for share in np.linspace(0, 1, 6)])
    axes.set_xlabel("share of games that ask about it")
    figure.legend(loc="outside lower center", ncols=2, frameon=False, fontsize=9.5, handletextpad=0.3)
