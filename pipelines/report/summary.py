"""A few lines for the terminal: first score, final score, gain; what it cost; where the rest is."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from pipelines.report.facts import games_line, spent
from pipelines.report.words import DASH, real

ROWS = 8


def summary(tables: Mapping[str, pd.DataFrame], page: Path | None = None) -> str:
    """At most fifteen lines of plain text, made from the tables of a `ReportResult`."""
    costs = dict(spent(tables["cost"]))
    lines = [f"games: {games_line(tables['status'], 'games')}", *_outcome(tables["outcome"])]
    cached = f", {costs['Prompt tokens cached']} of the prompt cached" if "%" in costs["Prompt tokens cached"] else ""
    lines += [f"cost: {costs['Cost']}; {costs['Calls']} calls; tokens {costs['Tokens']}{cached}"]
    if page is not None:
        lines += [f"tables: {page.parent / 'tables'}", f"page: {page}"]
    return "\n".join(lines)


def _outcome(outcome: pd.DataFrame) -> list[str]:
    """The table model x condition, its longest names and numbers deciding its width; cut after eight rows."""
    if not len(outcome):
        return ["no game has a first and a final score yet"]
    several = outcome["questions"].nunique() > 1
    heads = ["model", "survey", *(["T"] if several else []), "first card", "final card", "gain [95%]", "games"]
    rows = []
    for _, row in outcome.head(ROWS).iterrows():
        interval = f" [{real(row['gain_low'])}, {real(row['gain_high'])}]" if row["n_papers"] > 1 else ""
        numbers = [real(row["first"]), real(row["final"]), real(row["gain"], sign=True) + interval or DASH]
        rows.append(
            [
                row["model"],
                row["condition"],
                *([str(row["questions"])] if several else []),
                *numbers,
                str(row["n_games"]),
            ]
        )
    widths = [max(len(line[place]) for line in [heads, *rows]) for place in range(len(heads))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in [heads, *rows]
    ]
    more = len(outcome) - ROWS
    return lines + ([f"... and {more} more rows: outcome.csv"] if more > 0 else [])
