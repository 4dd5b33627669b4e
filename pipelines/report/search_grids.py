"""The tables of a report of searches as its page shows them."""

from collections.abc import Callable
from functools import partial

import pandas as pd

from pipelines.analysis.search_keys import GROUP, labels
from pipelines.report.facts import Facts
from pipelines.report.grid import Grid, Show, cents, grid, text
from pipelines.report.search_captions import CAPTIONS
from pipelines.report.words import DASH, known, real, share, whole

NAMED = (
    *(Show("task", "task"), Show("size", "profile"), Show("policy", "policy"), Show("solver", "solver")),
    *(Show("manager", "model"), Show("variant", "variant")),
)
ROWS = 8
TITLE = 48
tenth = partial(real, digits=1)


def x100(value: float | None) -> str:
    """A score as it is shown."""
    return real(100 * value, 1) if value is not None and known(value) else DASH


def minutes(value: float | None) -> str:
    """Seconds as minutes."""
    return real(value / 60, 1) if value is not None and known(value) else DASH


def brief(value: object) -> str:
    """The beginning of a title."""
    said = text(value)
    return said if len(said) <= TITLE else f"{said[:TITLE].rstrip()}…"


SHOWN: dict[str, tuple[Show, ...]] = {
    "summary": (
        *NAMED,
        Show("score", "score_said"),
        Show("held out", "held_out_score_said"),
        Show("executions", "started_said"),
        Show("best at execution", "best_at_execution_said"),
        Show("minutes", "seconds_said"),
        Show("tokens", "tokens_said"),
        Show("searches", "n", whole),
    ),
    "search_results": (
        *NAMED,
        Show("replicate", "replicate", whole),
        Show("score", "score", x100),
        Show("held out", "held_out_score", x100),
        Show("branch", "best_branch", whole),
        Show("executions", "started", whole),
        Show("best at", "best_at_execution", whole),
        Show("best at, min", "best_at_seconds", minutes),
        Show("minutes", "seconds", minutes),
        Show("failed verifications", "failed_verifications", whole),
        Show("fallbacks", "fallbacks", whole),
        Show("ended by", "ended_by"),
        Show("idea", "best_title", brief),
    ),
    "operators": (
        *NAMED,
        Show("operator", "operator"),
        Show("asked", "caller"),
        Show("calls", "calls", whole),
        Show("errors", "errors", whole),
        Show("fallbacks", "fallbacks", whole),
        Show("tokens in", "prompt_tokens", whole),
        Show("tokens out", "completion_tokens", whole),
        Show("known cost, $", "cost", cents),
        Show("unpriced calls", "unpriced", whole),
    ),
    "actions": (
        *NAMED,
        Show("iteration", "iteration", whole),
        Show("cluster", "cluster_action"),
        Show("idea", "idea_action"),
        Show("branches", "branches", whole),
        Show("share", "share", share),
    ),
    "expansion_kinds": (*NAMED, Show("kind", "kind"), Show("ideas", "ideas", whole), Show("share", "share", share)),
    "idea_growth": (
        *NAMED,
        Show("replicate", "replicate", whole),
        Show("after iteration", "iteration", whole),
        Show("added", "added", whole),
        Show("pool", "pool", whole),
        Show("proposed", "proposed", whole),
        Show("dropped", "dropped", whole),
    ),
    "mismatch": (
        *NAMED,
        Show("phase", "phase"),
        Show("audits", "audits", whole),
        Show("idea mismatch", "idea_mismatch", whole),
        Show("share", "share", share),
    ),
    "search_status": (
        *NAMED,
        Show("status", "status"),
        Show("error", "error_kind"),
        Show("searches", "searches", whole),
    ),
}
MEANS = (
    *(("score", x100), ("held_out_score", x100), ("started", tenth), ("best_at_execution", tenth)),
    *(("seconds", minutes), ("tokens", whole)),
)


def search_grids(tables: dict[str, pd.DataFrame]) -> dict[str, Grid]:
    """The tables of the page by name; columns that have one value in all groups are left out of all."""
    groups = tables["summary"][GROUP]
    same = {name for name in GROUP if groups[name].nunique(dropna=False) == 1}
    said = {**tables, "summary": _with_errors(tables["summary"])}
    return {
        name: grid(name, said[name], [show for show in shows if show.column not in same], CAPTIONS[name])
        for name, shows in SHOWN.items()
    }


def _with_errors(summary: pd.DataFrame) -> pd.DataFrame:
    """Means with their errors as words."""
    said = {f"{name}_said": [_with_error(row, name, form) for _, row in summary.iterrows()] for name, form in MEANS}
    return summary.assign(**said)


def _with_error(row: pd.Series, name: str, form: Callable[..., str]) -> str:
    error = row[f"{name}_se"]
    return form(row[name]) + (f" ± {form(error)}" if known(error) else "")


def search_summary(tables: dict[str, pd.DataFrame], facts: Facts) -> str:
    """At most fifteen lines for the terminal: what happened, the score of each group, what it cost."""
    happened, cost = dict(facts.happened), dict(facts.spent)
    lines = [f"searches: {happened['Searches']}; branches {happened['Branches']}; executions {happened['Executions']}"]
    rows = tables["summary"].reset_index(drop=True)
    for (_, row), name in zip(rows.head(ROWS).iterrows(), labels(rows), strict=False):
        score, held = (_with_error(row, one, x100) for one in ("score", "held_out_score"))
        n = "1 search" if row["n"] == 1 else f"{row['n']} searches"
        lines.append(f"{row['task']}, {row['profile']}, {name}: score {score}, held out {held} ({n})")
    if len(rows) > ROWS:
        lines.append(f"... and {len(rows) - ROWS} more rows: summary.csv")
    return "\n".join([*lines, f"cost: {cost['Cost']}; {cost['Calls']} calls; tokens {cost['Tokens']}"])
