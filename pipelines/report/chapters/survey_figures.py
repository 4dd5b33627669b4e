"""Figures on surveys: final scores by condition (Figure 6), and gain against the score it starts from (Figure 7)."""

from functools import partial

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from pipelines.analysis.order import CONDITIONS
from pipelines.report.chapters.marks import key_below, row_axes, series
from pipelines.report.figures import SCALE, Drawing, name_ends
from pipelines.report.theme import MUTED, SERIES
from pipelines.report.words import Record, p_value, real, records

BY_CONDITION, STARTS = "survey-scores", "survey-gains"
FROM, TO = "decoy", "full"


def survey_drawings(tables: dict[str, pd.DataFrame]) -> list[Drawing]:
    """Both kinds, one figure a length of game."""
    colour = {model: place for place, model in enumerate(sorted(tables["status"]["model"].unique()))}
    scores, gains = tables["condition_scores"], tables["condition_gains"]
    of_all = gains.loc[(gains["condition"] == TO) & (gains["against"] == FROM)]
    several = scores["questions"].nunique() > 1
    found = []
    for questions, rows in scores.groupby("questions"):
        title, end = (f"T = {questions}", f"-{questions}") if several else ("", "")
        draw = partial(_by_condition, rows, title)
        found.append(Drawing(BY_CONDITION, f"{BY_CONDITION}{end}", f"final score by survey {title}".strip(), draw))
    for questions, rows in of_all.groupby("questions"):
        title, end = (f"T = {questions}", f"-{questions}") if several else ("", "")
        told = tables["gain_and_start"].query("condition == @TO and against == @FROM and questions == @questions")
        draw = partial(_starts, rows, next(iter(records(told)), {}), title, colour)
        found.append(Drawing(STARTS, f"{STARTS}{end}", f"gain from decoy to full by decoy score {title}".strip(), draw))
    return found


def _by_condition(rows: pd.DataFrame, title: str, figure: Figure) -> None:
    """Each model's mean final score under each condition, with its t-interval."""
    models = sorted(rows["model"].unique())
    axes = row_axes(figure, models, title)
    present = [name for name in CONDITIONS if (rows["condition"] == name).any()]
    for place, name in enumerate(present):
        part = rows.loc[rows["condition"] == name]
        at = part["model"].astype("str").map(models.index)
        series(axes, at, part[["mean", "low", "high"]], name, place, len(present))
    axes.set_xlim(*SCALE)
    axes.set_xlabel("final score (panel mean, 1–10)")
    key_below(figure, len(present))


def _starts(rows: pd.DataFrame, told: Record, title: str, colour: dict[str, int], figure: Figure) -> None:
    """A point a model, named beside the axes; r and p above."""
    axes = figure.add_subplot()
    r, p = (told.get(name) for name in ("r", "p"))
    said = f"r = {real(float(str(r)))}, p = {p_value(float(str(p)))} (descriptive)" if r is not None else ""
    axes.set_title(", ".join(part for part in (title, said) if part), fontsize=10)
    axes.axhline(0, color=MUTED[0], linewidth=1)
    ends = []
    for row in records(rows):
        model, start, gain = str(row["model"]), float(str(row["second"])), float(str(row["mean"]))
        tone, _, marker = SERIES[colour[model] % len(SERIES)]
        low, high = (np.nan if row[name] is None else float(str(row[name])) for name in ("low", "high"))
        axes.vlines([start], [low], [high], colors=tone, linewidth=1.6, alpha=0.55)
        axes.scatter([start], [gain], color=tone, marker=marker, s=42, zorder=3)
        ends.append((start, gain, model))
    axes.margins(x=0.08)
    name_ends(axes, ends, colour)
    axes.set_xlabel("score under decoy")
    axes.set_ylabel("full less decoy")
