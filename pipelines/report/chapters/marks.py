"""How figures of several chapters lay out their marks: a line a row, series a little apart, values written in cells."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from pipelines.report.figures import SIZE, short
from pipelines.report.theme import INK, RULE, SERIES
from pipelines.report.words import share


def row_axes(figure: Figure, names: Sequence[str], title: str) -> Axes:
    """Axes with a line for each of ``names``, the first at the top; the figure grows with them."""
    figure.set_size_inches(SIZE[0], 1.4 + 0.42 * len(names))
    axes = figure.add_subplot()
    axes.set_title(title)
    axes.set_yticks(range(len(names)), [short(name) for name in names])
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.grid(visible=False, axis="y")
    between = np.arange(len(names) - 1) + 0.5
    axes.hlines(between, 0, 1, transform=axes.get_yaxis_transform(), colors=RULE[0], linewidth=0.8)
    return axes


def series(axes: Axes, at: pd.Series, values: pd.DataFrame, said: str, place: int, of: int) -> None:
    """The ``place``-th of ``of`` series, moved off the lines ``at`` so that none hides another.

    ``values``: three columns, the value and its lower and upper bound.
    """
    y = at.to_numpy(dtype=np.float64) + 0.62 / of * (place - (of - 1) / 2)
    value, low, high = values.to_numpy(dtype=np.float64).T
    tone, _, marker = SERIES[place % len(SERIES)]
    axes.hlines(y, low, high, colors=tone, linewidth=1.6, alpha=0.55)
    axes.scatter(value, y, color=tone, marker=marker, s=30, label=said, zorder=3)


def key_below(figure: Figure, columns: int = 2) -> None:
    """The names of the series, under the axes."""
    figure.legend(loc="outside lower center", ncols=columns, frameon=False, fontsize=9.5, handletextpad=0.3)


def heat(figure: Figure, table: pd.DataFrame, title: str) -> Axes:
    """A cell for each share in ``table`` (NaN is no cell), darker where it is larger, with its value."""
    figure.set_size_inches(SIZE[0], 1.5 + 0.42 * len(table))
    axes = figure.add_subplot()
    axes.set_title(title)
    values = table.to_numpy(dtype=np.float64)
    for row, column in zip(*np.nonzero(~np.isnan(values)), strict=True):
        value = float(values[row, column])
        corner = (column - 0.5, row - 0.5)
        axes.add_patch(Rectangle(corner, 1, 1, facecolor=SERIES[0][0], alpha=0.05 + 0.55 * value, linewidth=0))
        axes.text(column, row, share(value), ha="center", va="center", color=INK[0], fontsize=9)
    axes.set_xticks(range(table.shape[1]), [short(str(name), 14) for name in table.columns], rotation=20, ha="right")
    axes.set_yticks(range(len(table)), [short(str(name)) for name in table.index])
    axes.set_xlim(-0.5, table.shape[1] - 0.5)
    axes.set_ylim(len(table) - 0.5, -0.5)
    axes.grid(visible=False)
    return axes
