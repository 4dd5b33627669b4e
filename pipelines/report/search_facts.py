"""What a reader should know of searches before any number: what was run, what happened, its cost, what to beware of."""

from collections.abc import Iterator

import pandas as pd

from pipelines.report.facts import Facts
from pipelines.report.search_load import Searches
from pipelines.report.words import count, dollars, listed, many, whole

Tables = dict[str, pd.DataFrame]


def search_facts(runs: Searches, tables: Tables) -> Facts:
    """The facts of some runs of searches."""
    results, units = tables["search_results"], runs.units
    counted = [(name, sorted(results[name].dropna().unique())) for name in ("task", "policy", "solver", "model")]
    plural = {"policy": "policies"}
    title = ", ".join(
        str(values[0]) if len(values) == 1 else f"{len(values)} {plural.get(name, f'{name}s')}"
        for name, values in counted[:3]
    )
    return Facts(
        title=f"{title}: {len(results)} {'search' if len(results) == 1 else 'searches'}",
        ran=(
            ("Task, size", listed(sorted({f"{row.task}, {row.profile}" for row in results.itertuples()}))),
            ("Policies", listed(counted[1][1])),
            ("Solvers", listed(counted[2][1])),
            ("Managers", listed(counted[3][1])),
            ("Replicates", str(results["replicate"].nunique())),
            ("Executions of each search", listed([str(one) for one in sorted(results["executions"].unique())])),
        ),
        happened=(
            ("Searches", _searches_line(units)),
            ("Branches", _branches_line(tables["branches"])),
            ("Executions", _executions_line(results)),
            ("Left over by the division", f"{count(int(results['left_over'].sum()), 'execution')}"),
            ("Fallbacks", count(int(results["fallbacks"].sum()), "decision")),
        ),
        spent=spent(tables),
        warnings=tuple(warnings(runs, tables)),
    )


def _searches_line(units: pd.DataFrame) -> str:
    by = units["status"].value_counts()
    words = (("ok", "finished"), ("error", "failed"), ("pending", "not done"))
    return ", ".join(f"{by[status]:,} {word}" for status, word in words if status in by)


def _branches_line(branches: pd.DataFrame) -> str:
    right = int(branches["success"].fillna(False).astype("bool").sum())
    gone = int(branches["role"].eq("discarded").sum())
    return f"{len(branches):,}; {right:,} left right code" + (f", {gone:,} discarded" if gone else "")


def _executions_line(results: pd.DataFrame) -> str:
    allowed = int((results["each"] * results["branches_planned"]).sum())
    return f"{int(results['started'].sum()):,} of {allowed:,} started"


def spent(tables: Tables) -> tuple[tuple[str, str], ...]:
    """Calls, tokens, dollars and hours, as (label, value)."""
    operators, results = tables["operators"], tables["search_results"]
    untold, unpriced = int(operators["uncounted"].sum()), int(operators["unpriced"].sum())
    calls = int(operators["calls"].sum())
    both = operators[["prompt_tokens", "completion_tokens"]].sum(min_count=1)
    told = f"{many(both['prompt_tokens'])} in, {many(both['completion_tokens'])} out" if calls > untold else "unknown"
    if calls > untold > 0:
        told += f" (not told for {count(untold, 'call')})"
    cost = operators["cost"].astype("float64").sum(min_count=1)
    return (
        ("Calls", whole(calls)),
        ("Tokens", told if calls else "none"),
        ("Cost", dollars(float(cost), unpriced)),
        ("Wall-clock", f"{results['seconds'].sum() / 3600:.2f} h, over all searches"),
    )


def warnings(runs: Searches, tables: Tables) -> Iterator[str]:
    """One sentence for each thing that a reader must not overlook."""
    results = tables["search_results"]
    for status, word in (("error", "failed"), ("pending", "not been played")):
        n = int(runs.units["status"].eq(status).sum())
        if n:
            have = "1 search has" if n == 1 else f"{n} searches have"
            yield f"{have} {word} and {'is' if n == 1 else 'are'} not counted here; the same 'heuresis run' goes on."
    yield from _of_operators(tables["operators"])
    yield from _of_branches(results)
    none = results.loc[results["best_branch"].isna()]
    if len(none):
        yield f"{len(none)} of {len(results)} searches have no result: no attempt held out on fresh seeds."
    failed = int(results["failed_verifications"].sum())
    if failed:
        yield (
            f"{count(failed, 'attempt')} with a better score did not hold out on fresh seeds: the search's own scores,"
            " and the lines of best so far, are higher than what is the result."
        )
    if runs_without_audit(tables, results):
        yield "No audit looked at these attempts: nobody checked that code is its idea, or that a score is earned."


def runs_without_audit(tables: Tables, results: pd.DataFrame) -> bool:
    """Whether no branch of any search was audited, though some were done."""
    return not len(tables["mismatch"]) and int(results["branches_done"].sum()) > 0


def _of_operators(operators: pd.DataFrame) -> Iterator[str]:
    stood = operators.drop_duplicates(["task", "profile", "policy", "solver", "model", "variant", "operator"])
    by = stood.groupby("operator")["fallbacks"].sum()
    by = by.loc[by > 0]
    if len(by):
        each = ", ".join(f"{name} {int(n)}" for name, n in by.items())
        yield (
            f"{count(int(by.sum()), 'decision')} by an operator's rule, since its model's replies could not stand:"
            f" {each}. They are marked below."
        )


def _of_branches(results: pd.DataFrame) -> Iterator[str]:
    gone, lost, broke = (int(results[name].sum()) for name in ("discarded", "lost", "failed_branches"))
    if gone:
        yield f"{count(gone, 'attempt')} discarded by the audit: what was measured stays spent and counts for no score."
    if lost:
        yield f"{count(lost, 'execution')} lost to a crash: counted as started, without a score."
    if broke:
        yield f"{broke} {'branch' if broke == 1 else 'branches'} ended with an error; what they had measured counts."
