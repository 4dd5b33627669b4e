"""What a reader should know before any number: what was run, what happened, what it cost, what to beware of."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pandas as pd

from pipelines.analysis.cost import total_cost
from pipelines.analysis.order import CONDITIONS
from pipelines.analysis.scores import left_out
from pipelines.report.load import Runs
from pipelines.report.words import count, dollars, listed, many, records, share, whole

TINY = "smollm2"
BESIDES = {"fork": "Forks", "pool": "Pooled games", "probe": "Closed-book probes"}
"""Kinds of played units that are no plain games, as the page names them."""

Tables = dict[str, pd.DataFrame]


@dataclass(frozen=True)
class Facts:
    """``title`` for the heading; ``ran``, ``happened`` and ``spent`` as (label, value); sentences for the rest."""

    title: str
    ran: tuple[tuple[str, str], ...]
    happened: tuple[tuple[str, str], ...]
    spent: tuple[tuple[str, str], ...]
    warnings: tuple[str, ...]


def facts(runs: Runs, tables: Tables) -> Facts:
    """The facts of some runs."""
    units = runs.units
    models, papers = sorted(units["model"].dropna().unique()), sorted(units["paper"].dropna().unique())
    conditions = [name for name in CONDITIONS if name in set(units["condition"])]
    plain = units.loc[units["kind"] == "game", "questions"]
    lengths = sorted(int(length) for length in (plain if len(plain) else units["questions"]).dropna().unique())
    replicates, kinds = units["replicate"].nunique(), set(units["kind"])
    counted = [
        (len(models), "model"),
        (len(conditions), "condition"),
        (len(papers), "paper"),
        (replicates, "replicate"),
    ]
    return Facts(
        title=", ".join([*(count(number, noun) for number, noun in counted), *_lengths(lengths)]),
        ran=(
            ("Models", listed(models) or "none"),
            ("Surveys shown", listed(conditions) or "none"),
            ("Papers", f"{len(papers)}: {listed(papers, 6)}" if papers else "none"),
            ("Replicates", str(replicates)),
            ("Questions a game", listed([str(length) for length in lengths]) or "none"),
            ("Judges", listed(sorted(runs.panel["judge"].unique())) or "none yet"),
        ),
        happened=(
            ("Games", games_line(tables["status"], "games")),
            *((noun, games_line(by_status(units, kind), noun)) for kind, noun in BESIDES.items() if kind in kinds),
            ("Games judged, counted per judge", _judged_line(tables["judgings"])),
            ("Ratings missing", _ratings_line(tables["missing_ratings"])),
        ),
        spent=spent(tables["cost"]),
        warnings=tuple(warnings(runs, tables)),
    )


def _lengths(lengths: list[int]) -> list[str]:
    return [f"{' or '.join(str(length) for length in lengths)} questions"] if lengths else []


def by_status(units: pd.DataFrame, kind: str) -> pd.DataFrame:
    """Units of one kind by status and error_kind, counted as ``games``."""
    own = units.loc[units["kind"] == kind]
    return own.groupby(["status", "error_kind"], observed=True, dropna=False).size().reset_index(name="games")


def games_line(status: pd.DataFrame, noun: str) -> str:
    """E.g. 52 ok, 2 failed (timeout 2), 1 pending."""
    by_status = status.groupby("status")["games"].sum()
    kinds = status.loc[status["status"] == "error"].groupby("error_kind", dropna=False)["games"].sum()
    parts = [f"{by_status.get('ok', 0):,} ok"]
    if "error" in by_status:
        parts.append(f"{by_status['error']:,} failed ({', '.join(f'{kind} {n:,}' for kind, n in kinds.items())})")
    if "pending" in by_status:
        parts.append(f"{by_status['pending']:,} pending")
    return ", ".join(parts) if len(status) else f"no {noun} in these runs"


def _judged_line(judgings: pd.DataFrame) -> str:
    return games_line(judgings, "judgings") if len(judgings) else "none yet"


def _ratings_line(missing: pd.DataFrame) -> str:
    if not len(missing):
        return "not judged yet"
    lost, wanted = int(missing["missing"].sum()), int(missing["wanted"].sum())
    return f"{lost:,} of {wanted:,} ({share(lost / wanted)})"


def spent(costs: pd.DataFrame) -> tuple[tuple[str, str], ...]:
    """Calls, tokens, cached share and dollars, as (label, value)."""
    total = total_cost(costs)
    uncounted = f" (not told for {whole(total['uncounted'])} calls)" if total["uncounted"] else ""
    troubled = [f"{whole(total[name])} {name}" for name in ("errors", "lost") if total[name]]
    calls = whole(total["calls"]) + (f" ({', '.join(troubled)})" if troubled else "")
    tokens = f"{many(total['prompt_tokens'])} in, {many(total['completion_tokens'])} out{uncounted}"
    cached = share(total["cached_share"]) if total["cached_share"] == total["cached_share"] else "unknown"
    return (
        ("Calls", calls),
        ("Tokens", tokens if total["uncounted"] < total["calls"] else "unknown"),
        ("Prompt tokens cached", cached),
        ("Cost", dollars(total["cost"], total["unpriced"])),
    )


def warnings(runs: Runs, tables: Tables) -> Iterator[str]:
    """One sentence for each thing that a reader must not overlook."""
    yield from _tiny_model(runs)
    yield from _versions(runs.units)
    yield from _unfinished(runs, tables)
    yield from _ratings(runs, tables)
    if runs.unread and len(runs.panel):
        lacking = count(len(runs.unread), "run")
        yield f"No config.yaml that can be read in {lacking}: which judge is related to whom is unknown (Tables 4, 5)."
    yield from _contaminated(tables["contamination"])
    cut = tables["truncation"].query("truncated.notna() and truncated != 'none'")
    for _, row in cut.iterrows():
        yield f"The answerer did not see the {row['truncated']} in {count(row['games'], 'game')}: they did not fit."


def _tiny_model(runs: Runs) -> Iterator[str]:
    names = {*runs.calls["caller"].unique(), *runs.units["model"].dropna(), *runs.panel["judge"]}
    if any(TINY in str(name).lower() for name in names):
        yield (
            "SmolLM2 is a model of 135 million parameters: what it says has the right form, its ideas and ratings are"
            " weak. Games with it show that everything works; do not read their scores as a result."
        )


def _versions(units: pd.DataFrame) -> Iterator[str]:
    """One name, several makes: the unit's hash tells them apart, no column that a mean is grouped by does."""
    of = {
        "model": (units["kind"] == "game", ["paper", "model", "condition", "replicate", "questions"]),
        "reader": (units["kind"] != "game", ["game", "reader"]),
    }
    for seat, (rows, key) in of.items():
        twice = units[rows & units.duplicated(["kind", *key], keep=False)]
        if names := sorted(twice[seat].unique()):
            yield (
                f"Between these runs {', '.join(names[:4])} changed: parameters, prompts, strategy, papers or seed."
                " Both makes stand under one name here; report those runs apart."
            )


def _unfinished(runs: Runs, tables: Tables) -> Iterator[str]:
    status = tables["status"]
    for name, word in (("error", "failed"), ("pending", "not been played")):
        games = int(status.loc[status["status"] == name, "games"].sum())
        if games:
            verb = "has" if games == 1 else "have"
            yield f"{count(games, 'game')} {verb} {word}; the same 'heuresis run' command goes on with what is missing."
    if not len(status):
        yield "These runs hold no game: name the run that played them too, or there are no cards and transcripts."


def _ratings(runs: Runs, tables: Tables) -> Iterator[str]:
    dirs = ",".join(str(path) for path in runs.dirs)
    left = left_out(tables["scores"])
    if not len(runs.panel) and left.of:
        yield f"No score yet: judge these games with 'heuresis run experiment=judge from=[{dirs}]'."
    elif left.too_many:
        yield f"{str(left).capitalize()}, more than 2%; 'heuresis run experiment=judge from=[{dirs}]' asks again."
    sits = runs.panel.groupby(["game", "judge"], observed=True).size().unstack(fill_value=0).gt(0).drop_duplicates()
    panels = [", ".join(sorted(sits.columns[row])) for row in sits.to_numpy()]
    if len(panels) > 1:
        yield f"Not all games have the same panel: {'; '.join(sorted(panels)[:4])}. Compare scores within one panel."


def _contaminated(contamination: pd.DataFrame) -> Iterator[str]:
    """One sentence on games that may be known, one on those of which it is not known, however many the models."""
    sums = contamination.groupby("model", observed=True)["games"].sum()
    of = {str(model): int(games) for model, games in sums.items()}
    unknown = contamination["contaminated"].isna()
    known = ~unknown & contamination["contaminated"].eq(True)
    if known.any():
        yield f"Models may know papers that were public by their cutoff: {_shares(contamination.loc[known], of)}."
    if unknown.any():
        yield (
            "It is not known whether these models may have read the papers, as no cutoff is set for them:"
            f" {_shares(contamination.loc[unknown], of)}."
        )


def _shares(rows: pd.DataFrame, of: Mapping[str, int]) -> str:
    """E.g. 24 of 36 games each of a, b; 1 of 2 games of c."""
    alike: dict[str, list[str]] = {}
    for row in records(rows.sort_values("model")):
        model = str(row["model"])
        alike.setdefault(f"{int(str(row['games'])):,} of {count(of[model], 'game')}", []).append(model)
    return "; ".join(f"{said}{' each' if len(names) > 1 else ''} of {listed(names)}" for said, names in alike.items())
