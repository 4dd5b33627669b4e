"""The figures, drawn by matplotlib without a display; the same tables give the same bytes.

A figure holds one condition (and one T), so that the page can lay several out as its width allows; all figures of a
kind share their scales.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.typing import RcKeyType

from pipelines.analysis.order import CONDITIONS
from pipelines.report.theme import DASHES, INK, MUTED, RULE, SERIES, SURFACE

SIZE = (4.7, 3.3)  # inches: two in a row on a desk, one on a phone, at letters that can be read
STYLE: dict[RcKeyType, object] = {
    "font.size": 10,
    "font.family": "sans-serif",
    "text.color": INK[0],
    "text.parse_math": False,  # a model's name is not a formula
    "axes.labelcolor": INK[0],
    "axes.edgecolor": MUTED[0],
    "axes.facecolor": "none",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.grid": True,
    "grid.color": RULE[0],
    "grid.linewidth": 0.8,
    "xtick.color": MUTED[0],
    "ytick.color": MUTED[0],
    "figure.facecolor": SURFACE[0],
    "savefig.facecolor": SURFACE[0],
    "svg.fonttype": "none",
}


SCALE = (0.6, 10.4)
"""The whole scale of ratings: curves of any two pages can be laid side by side."""


@dataclass(frozen=True)
class Drawing:
    """One figure: ``kind`` groups those that stand together, ``name`` is its file's, ``label`` says what it shows."""

    kind: str
    name: str
    label: str
    draw: Callable[[Figure], None]


@contextmanager
def drawn(drawing: Drawing) -> Iterator[Figure]:
    """The finished figure, under the style in which it must be saved; the salt keeps its SVG the same every time."""
    with mpl.rc_context(STYLE), mpl.rc_context({"svg.hashsalt": drawing.name}):
        figure = Figure(figsize=SIZE, layout="constrained")
        drawing.draw(figure)
        yield figure


def drawings(tables: dict[str, pd.DataFrame]) -> list[Drawing]:
    """All figures that the tables can fill; none for an empty table."""
    colour = {model: place for place, model in enumerate(sorted(tables["status"]["model"].unique()))}
    found = [*_by_panel("curves", tables["curves"], partial(curve, colour=colour), "mean")]
    found += _by_panel("gains", tables["gains"], partial(gain, colour=colour), "mean")
    early = tables["correlation"].dropna(subset=["r"])
    if early["t"].nunique() > 1:
        found += _by_panel("correlation", early, partial(correlation, colour=colour), "r")
    deviation = tables["leniency"]
    if len(deviation):
        found.append(Drawing("judges", "judges", "each judge less the others", partial(_judges, table=deviation)))
    return found


def _by_panel(
    kind: str, table: pd.DataFrame, draw: Callable[[Axes, pd.DataFrame], None], value: str
) -> Iterator[Drawing]:
    lengths = table["questions"].nunique()
    limits = SCALE if kind == "curves" else _limits(table, value)
    for condition in CONDITIONS:
        for questions, part in table.loc[table["condition"] == condition].groupby("questions"):
            length = f"-{questions}" if lengths > 1 else ""
            title = f"survey: {condition}" + (f", T = {questions}" if length else "")
            label = f"{kind} by model, {title}"
            yield Drawing(kind, f"{kind}-{condition}{length}", label, partial(_one, part, draw, title, limits))


def _one(
    table: pd.DataFrame,
    draw: Callable[[Axes, pd.DataFrame], None],
    title: str,
    limits: tuple[float, float],
    figure: Figure,
) -> None:
    axes = figure.add_subplot()
    axes.set_title(title)
    axes.set_ylim(*limits)
    draw(axes, table)


def _limits(table: pd.DataFrame, value: str) -> tuple[float, float]:
    """Room for every value and interval of the kind, with a margin; never narrower than 1."""
    bounds = [name for name in (value, "low", "high", "boot_low", "boot_high") if name in table]
    numbers = table[bounds].to_numpy(dtype=np.float64)
    known = numbers[np.isfinite(numbers)]
    if not len(known):
        return 0.0, 1.0
    low, high = float(known.min()), float(known.max())
    spare = max(0.06 * (high - low), (1 - (high - low)) / 2)
    return low - spare, high + spare


def curve(axes: Axes, table: pd.DataFrame, colour: dict[str, int]) -> None:
    """Mean score over t, one line a model, with t-intervals."""
    _lines(axes, table, colour, ("mean", "low", "high"))
    axes.set_xlabel("questions answered")
    axes.set_ylabel("score (panel mean, 1–10)")


def correlation(axes: Axes, table: pd.DataFrame, colour: dict[str, int]) -> None:
    """r(score_k, score_T) over k, one line a model, with bootstrap intervals."""
    _lines(axes, table, colour, ("r", "boot_low", "boot_high"))
    axes.set_xlabel("questions answered, k")
    axes.set_ylabel(f"Pearson r(score at k, score at {int(table['questions'].iloc[0])})")


def _lines(axes: Axes, table: pd.DataFrame, colour: dict[str, int], columns: tuple[str, str, str]) -> None:
    models = sorted(table["model"].unique())
    shift = 0.007 * float(table["t"].max() - table["t"].min())
    last: list[tuple[float, float, str]] = []
    for place, model in enumerate(models):
        rows = table.loc[table["model"] == model].sort_values("t")
        value, low, high = (rows[name].to_numpy(dtype=np.float64) for name in columns)
        t = rows["t"].to_numpy(dtype=np.float64) + shift * (place - (len(models) - 1) / 2)
        tone, _, marker = SERIES[colour[model] % len(SERIES)]
        dash = DASHES[colour[model] // len(SERIES) % len(DASHES)]
        axes.vlines(t, low, high, colors=tone, linewidth=1.2, alpha=0.55)
        axes.plot(t, value, color=tone, linestyle=dash, marker=marker, markersize=5, linewidth=1.8)
        last.append((float(t[-1]), float(value[-1]), model))
    ticks = sorted(table["t"].unique())
    axes.set_xticks(ticks[:: 2 if len(ticks) > 7 else 1])
    name_ends(axes, last, colour)


def name_ends(axes: Axes, ends: list[tuple[float, float, str]], colour: dict[str, int]) -> None:
    """Each line's model at its end, moved apart where the names would overlap."""
    bottom, top = axes.get_ylim()
    gap = (top - bottom) * 0.068
    right = max(x for x, _, _ in ends)
    left = axes.get_xlim()[0]
    pad = 0.035 * ((right - left) or 1.0)
    for (x, y, model), place in zip(ends, _apart([y for _, y, _ in ends], gap, bottom, top), strict=True):
        tone = SERIES[colour[model] % len(SERIES)][0]
        axes.plot([x, right + pad], [y, place], color=tone, linewidth=0.8, alpha=0.7, clip_on=False)
        axes.text(right + 1.4 * pad, place, short(model), va="center", fontsize=9.5, clip_on=False)
    axes.set_xlim(left, right + pad)


def _apart(values: list[float], gap: float, bottom: float, top: float) -> list[float]:
    """``values`` moved as little as a downward and an upward sweep need to keep ``gap`` between any two."""
    order = np.argsort(values, kind="stable")
    places = np.clip(np.asarray(values, dtype=np.float64)[order], bottom, top)
    steps = gap * np.arange(len(values))
    up = np.maximum.accumulate(places - steps) + steps
    excess = max(0.0, float(up[-1]) - top)
    down = np.minimum(up, top - gap * np.arange(len(values))[::-1]) if excess else up
    moved = np.empty(len(values))
    moved[order] = down
    return [float(value) for value in moved]


def short(name: str, limit: int = 24) -> str:
    """The name, its middle left out where it is long."""
    return name if len(name) <= limit else f"{name[: limit - 9]}…{name[-8:]}"


def gain(axes: Axes, table: pd.DataFrame, colour: dict[str, int]) -> None:
    """Mean gain in each stage, one mark a model, with t-intervals; a legend names the models."""
    models = sorted(table["model"].unique())
    stages = table[["stage_end", "stage"]].drop_duplicates().sort_values("stage_end")["stage"].tolist()
    width = 0.7 / max(len(models), 1)
    axes.axhline(0, color=MUTED[0], linewidth=1)
    for place, model in enumerate(models):
        rows = table.loc[table["model"] == model]
        x = rows["stage"].map(stages.index).to_numpy(dtype=np.float64) + width * (place - (len(models) - 1) / 2)
        tone, _, marker = SERIES[colour[model] % len(SERIES)]
        low, high = (rows[name].to_numpy(dtype=np.float64) for name in ("low", "high"))
        axes.vlines(x, low, high, colors=tone, linewidth=1.6, alpha=0.55)
        axes.scatter(x, rows["mean"], color=tone, marker=marker, s=36, label=short(model), zorder=3)
    axes.set_xticks(range(len(stages)), stages)
    axes.set_xlim(-0.6, len(stages) - 0.4)
    axes.grid(visible=False, axis="x")
    axes.set_xlabel("questions of the stage")
    axes.set_ylabel("gain (points of 1–10)")
    _legend(axes, len(models))


def _legend(axes: Axes, models: int) -> None:
    """The models' names under the axes, two a line; the figure grows by what they need."""
    figure = axes.get_figure(root=True)
    if figure is not None:
        figure.set_size_inches(SIZE[0], SIZE[1] + 0.2 * ((models + 1) // 2 - 1))
        figure.legend(loc="outside lower center", ncols=min(2, models), frameon=False, fontsize=9.5, handletextpad=0.3)


def _judges(figure: Figure, table: pd.DataFrame) -> None:
    """Each judge's mean deviation over all models, with its t-interval."""
    rows = table.loc[table["model"].isna()].sort_values("mean")
    figure.set_size_inches(SIZE[0], 0.9 + 0.42 * len(rows))
    axes = figure.add_subplot()
    axes.axvline(0, color=MUTED[0], linewidth=1)
    axes.hlines(rows["judge"].map(short), rows["low"], rows["high"], colors=SERIES[0][0], linewidth=1.6, alpha=0.55)
    axes.plot(rows["mean"], rows["judge"].map(short), "o", color=SERIES[0][0], markersize=6)
    axes.set_ylim(-0.6, len(rows) - 0.4)
    axes.grid(visible=False, axis="y")
    axes.set_xlabel("judge less the others (points of 1–10)")
