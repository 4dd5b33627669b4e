"""Figures on surveys: the final score by what was asked (Table 7), and a line beside its neighbours (Table 8)."""

from functools import partial

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pipelines.analysis.lines import WINDOWS
from pipelines.analysis.order import CONDITIONS
from pipelines.report.figures import SCALE, SIZE, Drawing, short
from pipelines.report.theme import RULE, SERIES

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
    axes, at = _rows(figure, rows["model"], title)
    present = [name for name in CLASSES if (rows["asked"] == name).any()]
    for place, name in enumerate(present):
        part = rows.loc[rows["asked"] == name]
        _marks(axes, part["model"].map(at), part[["mean", "low", "high"]], name, place, len(present))
    axes.set_xlim(*SCALE)
    axes.set_xlabel("final score (panel mean, 1–10)")
    figure.legend(loc="outside lower center", ncols=2, frameon=False, fontsize=9.5, handletextpad=0.3)


def _by_line(rows: pd.DataFrame, title: str, figure: Figure) -> None:
    """Each model's share of games that ask about the line, and about its neighbours, with t-intervals."""
    axes, at = _rows(figure, rows["model"], title)
    for value, said, place in PARTS:
        part = rows[[value, f"{value}_low", f"{value}_high"]]
        _marks(axes, rows["model"].map(at), part, said, place, len(PARTS))
    axes.set_xlim(-0.03, 1.03)
    axes.set_xticks(np.linspace(0, 1, 6), [f"{share:.0%}" for share in np.linspace(0, 1, 6)])
    axes.set_xlabel("share of games that ask about it")
    figure.legend(loc="outside lower center", ncols=2, frameon=False, fontsize=9.5, handletextpad=0.3)


def _rows(figure: Figure, models: pd.Series, title: str) -> tuple[Axes, dict[str, int]]:
    """Axes with a line a model, the first at the top, and where each model's line is."""
    names = sorted(models.unique())
    figure.set_size_inches(SIZE[0], 1.3 + 0.42 * len(names))
    axes = figure.add_subplot()
    axes.set_title(title)
    axes.set_yticks(range(len(names)), [short(name) for name in names])
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.grid(visible=False, axis="y")
    between = np.arange(len(names) - 1) + 0.5
    axes.hlines(between, 0, 1, transform=axes.get_yaxis_transform(), colors=RULE[0], linewidth=0.8)
    return axes, {name: place for place, name in enumerate(names)}


def _marks(axes: Axes, at: pd.Series, values: pd.DataFrame, said: str, place: int, of: int) -> None:
    """One series of marks, a little above or below the lines ``at`` so that none hides another.

    ``values``: the value, its lower and its upper bound.
    """
    y = at.to_numpy(dtype=np.float64) + 0.62 / of * (place - (of - 1) / 2)
    value, low, high = values.to_numpy(dtype=np.float64).T
    tone, _, marker = SERIES[place % len(SERIES)]
    axes.hlines(y, low, high, colors=tone, linewidth=1.6, alpha=0.55)
    axes.scatter(value, y, color=tone, marker=marker, s=30, label=said, zorder=3)
