"""Figures on question trees: branches, patterns, steps after an answer, changes in a game, breadth and score."""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from pipelines.analysis import trees
from pipelines.analysis.breadth import WIDE
from pipelines.analysis.questions import ANSWERS
from pipelines.report.figures import SIZE, Drawing, curve, short
from pipelines.report.theme import INK, MUTED, SERIES, SURFACE
from pipelines.report.words import Record, known, records

BRANCHES, PATTERNS, AFTER, BINS, BREADTH = "branches", "patterns", "steps-after", "tree-bins", "breadth"
AXIS = {
    "depth": "mean depth (problem: 0)",
    "child": "next question follows from this one",
    "leaves": "next question is in another branch",
    "yes": "answered YES",
}
TONES = {"over-exploitation": 1, "balanced": 2, "over-exploration": 5}

Values = NDArray[np.float64]
Draw = Callable[[Axes, pd.DataFrame], None]


def tree_drawings(tables: dict[str, pd.DataFrame]) -> list[Drawing]:
    """All figures of the chapter; none for an empty table."""
    colour = {model: place for place, model in enumerate(sorted(tables["status"]["model"].unique()))}
    shapes, games = tables["tree_shapes"], tables["tree_games"]
    means = shapes.loc[shapes["measure"] == "branches"].assign(of="mean")
    points = games.dropna(subset=["branches"]).rename(columns={"branches": "mean"}).assign(of="game")
    both = pd.concat([part for part in (means, points) if len(part)] or [means])
    patterns = shapes.loc[shapes["measure"].isin(trees.PATTERNS)]
    found = [*_by_reading(BRANCHES, "", both, partial(_branches, colour=colour))]
    found += _by_reading(PATTERNS, "", patterns, _patterns)
    for measure in ("child", "leaves"):
        rows = tables["steps_after"].query("measure == @measure")
        found += _by_reading(AFTER, measure, rows, partial(_after, colour=colour, measure=measure))
    for measure in AXIS:
        rows = tables["tree_bins"].query("measure == @measure")
        if rows["start"].nunique() > 1:
            found += _by_reading(BINS, measure, rows, partial(_bins, colour=colour, measure=measure))
    return [*found, *_breadth_drawings(tables)]


def _by_reading(kind: str, measure: str, rows: pd.DataFrame, draw: Draw) -> Iterator[Drawing]:
    """One figure for each annotator and length of game; they are named where there are several."""
    names, lengths = sorted(rows["annotator"].unique()), rows["questions"].nunique()
    for (annotator, questions), part in rows.groupby(["annotator", "questions"], observed=True):
        place = names.index(annotator) + 1
        words = [measure, f"T = {questions}" if lengths > 1 else "", f"read by {annotator}" if len(names) > 1 else ""]
        ends = [measure, str(questions) if lengths > 1 else "", f"reader{place}" if len(names) > 1 else ""]
        title = ", ".join(word for word in words if word)
        label = f"{kind} {measure} by model" + (f", annotator {place}" if len(names) > 1 else "")
        yield Drawing(kind, "-".join([kind, *filter(None, ends)]), label, partial(_one, part, title, draw))


def _one(rows: pd.DataFrame, title: str, draw: Draw, figure: Figure) -> None:
    axes = figure.add_subplot()
    axes.set_title(title)
    draw(axes, rows)


def _lines(axes: Axes, models: list[str]) -> None:
    """A line a model, the first at the top; the figure grows with them."""
    figure = axes.get_figure(root=True)
    if figure is not None:
        figure.set_size_inches(SIZE[0], 1.2 + 0.36 * len(models))
    axes.set_yticks(range(len(models)), [short(model) for model in models])
    axes.set_ylim(len(models) - 0.4, -0.6)
    axes.grid(visible=False, axis="y")


def _branches(axes: Axes, rows: pd.DataFrame, colour: dict[str, int]) -> None:
    """The branches of each game, and their mean over papers."""
    models = sorted(rows["model"].unique())
    _lines(axes, models)
    for place, model in enumerate(models):
        own = rows.loc[rows["model"] == model]
        mean, games = own.loc[own["of"] == "mean"], own.loc[own["of"] == "game", "mean"]
        tone, _, marker = SERIES[colour[model] % len(SERIES)]
        axes.scatter(games, place + _aside(games), color=tone, s=9, alpha=0.45, linewidths=0)
        axes.hlines([place], mean["low"], mean["high"], colors=tone, linewidth=1.8)
        at = [place] * len(mean)
        axes.scatter(mean["mean"], at, color=tone, marker=marker, s=56, zorder=3, edgecolors=SURFACE[0], linewidths=0.8)
    axes.axvspan(trees.FEW - 0.5, trees.MANY + 0.5, color=MUTED[0], alpha=0.09, linewidth=0)
    axes.set_xlim(left=0)
    axes.set_xlabel(f"top-level branches of a game (shaded: {trees.FEW}–{trees.MANY})")


def _aside(values: pd.Series) -> np.ndarray:
    """How far up or down each value stands so that equal ones do not hide one another, at most 0.32."""
    turn = values.groupby(values).cumcount().to_numpy(dtype=np.float64)
    size = values.groupby(values).transform("size").to_numpy(dtype=np.float64)
    return np.asarray(np.minimum(0.1, 0.64 / size) * (turn - (size - 1) / 2))


def _patterns(axes: Axes, rows: pd.DataFrame) -> None:
    """Shares of the three patterns, one bar a model."""
    models = sorted(rows["model"].unique())
    _lines(axes, models)
    left = np.zeros(len(models))
    for name, tone in TONES.items():
        part = rows.loc[rows["measure"] == name].set_index("model")["mean"].reindex(models).fillna(0)
        values = part.to_numpy(dtype=np.float64)
        bars = axes.barh(range(len(models)), values, left=left, height=0.62, label=name)
        for bar in bars:
            bar.set(facecolor=SERIES[tone][0], edgecolor=SURFACE[0], linewidth=1.5, alpha=0.75)
        for place, (start, value) in enumerate(zip(left, values, strict=True)):
            if value >= 0.12:
                axes.text(start + value / 2, place, f"{value:.0%}", ha="center", va="center", color=INK[0], fontsize=9)
        left += values
    axes.set_xlim(0, 1)
    axes.set_xticks(np.linspace(0, 1, 6), [f"{share:.0%}" for share in np.linspace(0, 1, 6)])
    axes.set_xlabel("share of games")
    figure = axes.get_figure(root=True)
    if figure is not None:
        figure.legend(loc="outside lower center", ncols=3, frameon=False, fontsize=9, handlelength=1, columnspacing=1)


def _after(axes: Axes, rows: pd.DataFrame, colour: dict[str, int], measure: str) -> None:
    """The share after each answer, one mark a model."""
    models, answers = sorted(rows["model"].unique()), [name for name in ANSWERS if (rows["answer"] == name).any()]
    width = 0.74 / len(models)
    for place, model in enumerate(models):
        own = rows.loc[rows["model"] == model]
        x = own["answer"].map(answers.index).to_numpy(dtype=np.float64) + width * (place - (len(models) - 1) / 2)
        tone, _, marker = SERIES[colour[model] % len(SERIES)]
        axes.vlines(x, own["low"], own["high"], colors=tone, linewidth=1.6, alpha=0.55)
        axes.scatter(x, own["mean"], color=tone, marker=marker, s=32, label=short(model), zorder=3)
    axes.set_xticks(range(len(answers)), [f"after {name}" for name in answers])
    axes.set_xlim(-0.6, len(answers) - 0.4)
    axes.set_ylim(0, 1)
    axes.grid(visible=False, axis="x")
    axes.set_ylabel(AXIS[measure])
    figure = axes.get_figure(root=True)
    if figure is not None:
        figure.set_size_inches(SIZE[0], SIZE[1] + 0.2 * ((len(models) + 2) // 3))
        figure.legend(loc="outside lower center", ncols=3, frameon=False, fontsize=9, handletextpad=0.2)


def _bins(axes: Axes, rows: pd.DataFrame, colour: dict[str, int], measure: str) -> None:
    """A measure over bins, one line a model."""
    bounds = rows[["mean", "low", "high"]].to_numpy(dtype=np.float64)
    if measure == "depth":
        axes.set_ylim(0, max(1.0, 1.06 * float(np.nanmax(bounds))))
    else:
        axes.set_ylim(0, 1)
    curve(axes, rows.assign(t=rows["end"]), colour)
    axes.set_xlabel("questions, to the end of the bin")
    axes.set_ylabel(AXIS[measure])


def _breadth_drawings(tables: dict[str, pd.DataFrame]) -> list[Drawing]:
    """Figure 9 right, by length of game; none where neither the curve nor a group can be estimated."""
    curves, several = tables["breadth_curve"], tables["breadth_curve"]["questions"].nunique() > 1
    found = []
    for fitted in records(curves):
        questions = fitted["questions"]
        groups = tables["breadth_groups"].query("questions == @questions").dropna(subset=["effect"])
        own = tables["breadth_games"].query("questions == @questions").dropna(subset=["branches", "score"])
        title, end = (f"T = {questions}", f"-{questions}") if several else ("", "")
        if len(groups) or known(fitted["b2"]):
            draw = partial(_breadth, groups, own["branches"].to_numpy(dtype=np.float64), fitted, title)
            found.append(Drawing(BREADTH, f"{BREADTH}{end}", "final score by top-level branches", draw))
    return found


def _breadth(groups: pd.DataFrame, branches: Values, fitted: Record, title: str, figure: Figure) -> None:
    axes = figure.add_subplot()
    axes.set_title(", ".join(part for part in (title, str(fitted["shape"])) if part), fontsize=10)
    axes.axhline(0, color=MUTED[0], linewidth=1)
    x = groups["group"].str.rstrip("+").astype("int64").to_numpy(dtype=np.float64)
    sizes = 14 + 6 * np.sqrt(groups["n_games"].to_numpy(dtype=np.float64))
    axes.vlines(x, groups["low"], groups["high"], colors=SERIES[0][0], linewidth=1.6, alpha=0.5)
    axes.scatter(x, groups["effect"], color=SERIES[0][0], s=sizes, zorder=3)
    if known(fitted["b2"]):
        _fitted(axes, branches, fitted)
    ticks = np.arange(0, WIDE + 1, 3)
    axes.set_xticks(ticks, [f"{tick}+" if tick == WIDE else str(tick) for tick in ticks])
    axes.set_xlabel("top-level branches of a game, B")
    axes.set_ylabel("effect on the final score")


def _fitted(axes: Axes, branches: Values, fitted: Record) -> None:
    """The quadratic over the branches that were played, up to a little beyond the last group, and its peak."""
    names = ("b1", "b2", "peak", "boot_low", "boot_high")
    b1, b2, peak, *ends = (float(str(fitted[name])) if known(fitted[name]) else np.nan for name in names)
    grid = np.linspace(branches.min(), min(branches.max(), WIDE + 2), 100)
    tone, middle = SERIES[1][0], float((b1 * branches + b2 * branches**2).mean())
    axes.plot(grid, b1 * grid + b2 * grid**2 - middle, color=tone, linewidth=1.8)
    if b2 < 0 and grid[0] <= peak <= grid[-1]:
        if np.isfinite(ends).all():
            axes.axvspan(*np.clip(ends, grid[0], grid[-1]), color=tone, alpha=0.1, linewidth=0)
        axes.axvline(peak, color=tone, linewidth=1, linestyle=(0, (4, 3)))
