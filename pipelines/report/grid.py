"""A DataFrame as the page shows it: chosen columns, formatted cells, an interval beside its number."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pandas as pd

from pipelines.analysis.questions import ANSWERS, FLAGS
from pipelines.report.captions import CAPTIONS
from pipelines.report.words import DASH, known, real, records, share, whole


def text(value: object) -> str:
    """A cell of words."""
    return str(value) if known(value) else DASH


def signed(value: float | None) -> str:
    """A number that may be negative."""
    return real(value, sign=True)


def cents(value: float | None) -> str:
    """Dollars to the hundredth of a cent."""
    return real(value, digits=4)


@dataclass(frozen=True)
class Show:
    """How one column is shown; ``interval`` names the columns of its lower and upper bound."""

    label: str
    column: str
    format: Callable[..., str] = text
    interval: tuple[str, str] | None = None


MODEL, CONDITION, LENGTH = Show("model", "model"), Show("survey", "condition"), Show("T", "questions", whole)
N = (Show("papers", "n_papers", whole), Show("games", "n_games", whole))


@dataclass(frozen=True)
class Grid:
    """A table of the page. Each cell is (text, interval or nothing)."""

    name: str
    caption: str
    heads: tuple[tuple[str, bool], ...]
    """(label, whether it is a column of numbers)"""
    rows: tuple[tuple[tuple[str, str], ...], ...]

    @property
    def title(self) -> str:
        """The name as words."""
        return self.name.replace("_", " ")


def grid(name: str, frame: pd.DataFrame, shows: Sequence[Show], caption: str) -> Grid:
    """``frame`` as a `Grid`; the column T is left out where all rows have one length."""
    one_length = "questions" in frame and frame["questions"].nunique() <= 1
    kept = [show for show in shows if not (show is LENGTH and one_length)]
    rows = tuple(tuple(_cell(show, record) for show in kept) for record in records(frame))
    return Grid(name, caption, tuple((show.label, show.format is not text) for show in kept), rows)


def _cell(show: Show, record: dict[str, object]) -> tuple[str, str]:
    value = show.format(record[show.column])
    if show.interval is None:
        return value, ""
    low, high = (record[name] for name in show.interval)
    return value, f"[{show.format(low)}, {show.format(high)}]" if known(low) else ""


T, BOOT = ("low", "high"), ("boot_low", "boot_high")
BOTH = (MODEL, CONDITION, LENGTH)
SHOWN: dict[str, tuple[Show, ...]] = {
    "outcome": (
        *BOTH,
        Show("first card", "first", real, ("first_low", "first_high")),
        Show("final card", "final", real, ("final_low", "final_high")),
        Show("gain", "gain", signed, ("gain_low", "gain_high")),
        *N,
    ),
    "curves": (
        *BOTH,
        Show("t", "t", whole),
        Show("mean, t-interval", "mean", real, T),
        Show("mean, bootstrap", "mean", real, BOOT),
        *N,
    ),
    "gains": (
        *BOTH,
        Show("questions", "stage"),
        Show("gain, t-interval", "mean", signed, T),
        Show("gain, bootstrap", "mean", signed, BOOT),
        *N,
    ),
    "correlation": (*BOTH, Show("k", "t", whole), Show("r", "r", real, BOOT), *N),
    "rank_agreement": (
        Show("cards", "cards"),
        Show("judge", "judge"),
        Show("judge", "other"),
        Show("Spearman ρ", "rho", real),
        Show("rated by both", "n_cards", whole),
        Show("games", "n_games", whole),
    ),
    "leniency": (Show("judge", "judge"), MODEL, Show("deviation", "mean", signed, T), *N),
    "missing_ratings": (
        Show("judge", "judge"),
        Show("ratings wanted", "wanted", whole),
        Show("missing", "missing", whole),
        Show("share", "share", share),
    ),
    "status": (*BOTH, Show("status", "status"), Show("error", "error_kind"), Show("games", "games", whole)),
    "cost": (
        Show("asked", "caller"),
        Show("for a", "seat"),
        Show("calls", "calls", whole),
        Show("errors", "errors", whole),
        Show("requests", "tries", whole),
        Show("tokens in", "prompt_tokens", whole),
        Show("cached", "cached_share", share),
        Show("tokens out", "completion_tokens", whole),
        Show("known cost, $", "cost", cents),
        Show("unpriced calls", "unpriced", whole),
    ),
    "questions": (
        MODEL,
        CONDITION,
        Show("questions", "asked", whole),
        *(Show(answer, answer, share) for answer in ANSWERS),
        *(Show(flag.replace("_", " "), flag, share) for flag in FLAGS),
        Show("samples", "samples", real),
    ),
}


def grids(tables: dict[str, pd.DataFrame]) -> dict[str, Grid]:
    """The tables of the page by name."""
    leniency = tables["leniency"]
    named = {**tables, "leniency": leniency.assign(model=leniency["model"].fillna("all models"))}
    return {name: grid(name, named[name], shows, CAPTIONS[name]) for name, shows in SHOWN.items()}
