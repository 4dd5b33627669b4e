"""The figures of a report of searches: best so far along three axes, and the score of each cluster by iteration."""

from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from pipelines.analysis.search_best import AXES
from pipelines.analysis.search_keys import GROUP, labels
from pipelines.report.figures import SIZE, Drawing, name_ends, short
from pipelines.report.theme import DASHES, INK, MUTED, SERIES
from pipelines.report.words import records

UNITS = {"executions": "executions started", "seconds": "minutes", "tokens": "tokens, thousands"}
SCALE = {"executions": 1.0, "seconds": 60.0, "tokens": 1000.0}
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
FAINT, STRONG = 0.08, 0.6  # opacity of the lowest and the highest score: text can be read on both, light and dark
DRAWABLE = 0x500  # beyond, the figures' font may have no glyph


def letter(track: int) -> str:
    """A cluster's name over the iterations: A .. Z, then A2 .."""
    turn, place = divmod(track - 1, len(LETTERS))
    return LETTERS[place] + (str(turn + 1) if turn else "")


def plain(text: str) -> str:
    """The text with what a figure's font cannot draw as a question mark."""
    return "".join(one if one.isprintable() and ord(one) < DRAWABLE else "?" for one in text)


def best_drawings(tables: dict[str, pd.DataFrame]) -> list[Drawing]:
    """Best so far by task and axis."""
    means, runs = tables["best_so_far_mean"], tables["best_so_far"]
    groups = tables["summary"][GROUP].reset_index(drop=True)
    names = dict(zip(map(_key, groups.itertuples(index=False)), labels(groups), strict=True))
    colour = {name: place for place, name in enumerate(sorted(set(names.values())))}
    sizes = means[["task", "profile"]].drop_duplicates()
    found = []
    for task, profile in sizes.itertuples(index=False):
        for axis in AXES:
            rows = means.query("task == @task and profile == @profile and axis == @axis")
            single = runs.query("task == @task and profile == @profile and axis == @axis")
            if len(rows):
                size = f"{task}, {profile}" if len(sizes) > 1 else ""
                name = f"best-{axis}" + (f"-{task}-{profile}" if size else "")
                label = f"best score so far against {axis}" + (f", {size}" if size else "")
                found.append(Drawing("best", name, label, partial(_best, rows, single, names, colour, axis, size)))
    return found


def _key(row: Sequence[object]) -> tuple[str, ...]:
    return tuple("" if value is None or value != value else str(value) for value in row)


def _best(
    means: pd.DataFrame,
    runs: pd.DataFrame,
    names: dict[tuple[str, ...], str],
    colour: dict[str, int],
    axis: str,
    title: str,
    figure: Figure,
) -> None:
    axes = figure.add_subplot()
    axes.set_title(title or f"by {UNITS[axis].split(',')[0]}")
    ends = []
    scores = runs["best"].to_numpy(dtype=np.float64) * 100
    known = scores[np.isfinite(scores)]
    room = max(2.0, 0.08 * float(np.ptp(known))) if len(known) else 1.0
    axes.set_ylim((float(known.min()) - room, float(known.max()) + room) if len(known) else (0, 100))
    for key, rows in means.groupby(GROUP, dropna=False, sort=False):
        name = names[_key(key)]
        place = colour[name]
        x, mean, error = (rows[column].to_numpy(dtype=np.float64) for column in ("x", "mean", "se"))
        own = runs.loc[[_key(row) == _key(key) for row in runs[GROUP].itertuples(index=False)]]
        x, mean, error = x / SCALE[axis], mean * 100, error * 100
        _line(axes, x, mean, error, place)
        for _, one in own.groupby("unit") if own["unit"].nunique() > 1 else ():
            thin = one["x"].to_numpy(dtype=np.float64) / SCALE[axis], one["best"].to_numpy(dtype=np.float64) * 100
            axes.plot(*thin, drawstyle="steps-post", color=SERIES[place % len(SERIES)][0], linewidth=0.8, alpha=0.35)
        ends.append((float(x[-1]), float(mean[-1]), name))
    axes.set_xlim(left=0)
    axes.set_xlabel(UNITS[axis])
    axes.set_ylabel("best score so far")
    name_ends(axes, ends, colour)


def _line(axes: Axes, x: np.ndarray, mean: np.ndarray, error: np.ndarray, place: int) -> None:
    """A mean as steps, with its band where there is one."""
    tone, dash = SERIES[place % len(SERIES)][0], DASHES[place // len(SERIES) % len(DASHES)]
    if np.isfinite(error).any():
        axes.fill_between(x, mean - error, mean + error, step="post", color=tone, alpha=0.18, linewidth=0)
    axes.plot(x, mean, drawstyle="steps-post", color=tone, linestyle=dash, linewidth=1.8)


def cluster_drawings(scores: pd.DataFrame, units: Sequence[str]) -> dict[str, Drawing]:
    """The heat map of each search that has clusters, by unit."""
    found = {}
    for place, unit in enumerate(units, 1):
        rows = scores.loc[scores["unit"] == unit]
        if len(rows):
            label = f"best score of each cluster by iteration, search {place}"
            found[unit] = Drawing("clusters", f"clusters-{place}", label, partial(_heat, rows))
    return found


def _heat(rows: pd.DataFrame, figure: Figure) -> None:
    tracks, iterations = (sorted(rows[name].unique()) for name in ("track", "iteration"))
    figure.set_size_inches(max(SIZE[0], 2.4 + 0.62 * len(iterations)), 1.0 + 0.42 * len(tracks))
    axes = figure.add_subplot()
    values = rows["best"].to_numpy(dtype=np.float64)
    shares = _shares(values)
    for best, share, row in zip(values, shares, records(rows), strict=True):
        x, y, n = iterations.index(row["iteration"]), tracks.index(row["track"]), row["branches"]
        if n:
            opacity = FAINT + (STRONG - FAINT) * float(share)
            axes.add_patch(Rectangle((x - 0.48, y - 0.46), 0.96, 0.92, facecolor=SERIES[0][0], alpha=opacity))
        said = f"{100 * best:.1f} ({n})" if np.isfinite(best) else f"none ({n})"
        axes.text(x, y, said if n else "·", ha="center", va="center", fontsize=9, color=INK[0] if n else MUTED[0])
    last = rows.groupby("track")["label"].last()
    axes.set_xticks(range(len(iterations)), [str(one) for one in iterations])
    axes.set_yticks(range(len(tracks)), [f"{letter(one)}  {short(plain(str(last[one])))}" for one in tracks])
    axes.set_xlim(-0.5, len(iterations) - 0.5)
    axes.set_ylim(len(tracks) - 0.5, -0.5)
    axes.grid(visible=False)
    axes.spines[["left", "bottom"]].set_visible(False)
    axes.tick_params(length=0)
    axes.set_xlabel("iteration")


def _shares(values: np.ndarray) -> np.ndarray:
    """How far each value is from the lowest to the highest; 0 where it is not known."""
    known = values[np.isfinite(values)]
    if not len(known) or known.max() == known.min():
        return np.where(np.isfinite(values), 1.0, 0.0)
    return np.asarray(np.nan_to_num((values - known.min()) / (known.max() - known.min())))
