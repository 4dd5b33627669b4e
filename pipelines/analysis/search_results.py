"""What searches came to: one by one, and as means over replicates."""

import pandas as pd

from pipelines.analysis.search_keys import GROUP, SEARCH, mean_and_error

OF_SEARCH = [
    *("executions", "each", "left_over", "started", "branches_planned", "branches_done", "iterations_done"),
    *("best_branch", "best_idea", "score", "held_out_score", "held_out_metric", "failed_verifications", "seconds"),
    "ended_by",
]
SUMMED = ("score", "held_out_score", "started", "seconds", "tokens", "cost", "calls", "best_at_execution")
COLUMNS = [
    *(*SEARCH, *OF_SEARCH, "best_title", "best_at_execution", "best_at_seconds", "ideas", "lost", "failed_branches"),
    *("discarded", "relabelled", "fallbacks", "calls", "tokens", "cost"),
]


def search_results(
    tables: dict[str, pd.DataFrame], best: pd.DataFrame, fallbacks: pd.DataFrame, tokens: pd.Series
) -> pd.DataFrame:
    """One row per finished search: the table ``searches``, and what is summed over its branches and calls.

    best_at_*: when its best score was first measured. tokens (of each call, NULL where unknown) and cost: NULL where
    one call does not tell. discarded, relabelled: branches, by their audit.
    """
    units = tables["searches"]["unit"]
    calls, attempts = tables["calls"], tables["attempts"]
    ideas = tables["ideas"].set_index(["unit", "id"])["title"]
    firsts = best.loc[best["improved"].astype("bool")].groupby(["unit", "axis"])["x"].last()
    lost = tables["executions"].query("seeding == 'search' and verdict == 'lost'").groupby("unit").size()
    spent = pd.DataFrame({"unit": calls["unit"], "tokens": tokens, "cost": calls["cost"]})
    free = (tokens == 0) & calls["cost"].isna()  # it brought nothing
    spent = spent.assign(cost=spent["cost"].where(~free, 0.0)).groupby("unit").sum(min_count=1, skipna=False)
    won = pd.MultiIndex.from_frame(tables["searches"][["unit", "best_idea"]])
    at = {axis: firsts.xs(axis, level="axis") for axis in ("executions", "seconds")} if len(firsts) else {}
    found = tables["searches"].assign(
        best_title=ideas.reindex(won).to_numpy(),
        best_at_execution=units.map(at.get("executions", {})),
        best_at_seconds=units.map(at.get("seconds", {})),
        ideas=_count(tables["ideas"], units),
        lost=units.map(lost).fillna(0).astype("int64"),
        failed_branches=_count(attempts.loc[attempts["status"] != "ok"], units),
        discarded=_count(attempts.loc[attempts["role"] == "discarded"], units),
        relabelled=_count(attempts.loc[attempts["role"] == "idea_mismatch_relabel"], units),
        fallbacks=_count(fallbacks, units),
        calls=_count(calls, units),
        tokens=units.map(spent["tokens"]),
        cost=units.map(spent["cost"]),
    )
    whole = {"best_branch": "Int64", "best_at_execution": "Int64", "tokens": "Int64"}
    for name in ("best_at_execution", "best_at_seconds", "tokens", "cost"):
        found[name] = pd.to_numeric(found[name]).astype("float64")
    return found[COLUMNS].astype(whole).sort_values([*GROUP, "replicate"], kind="stable", ignore_index=True)


def _count(rows: pd.DataFrame, units: pd.Series) -> pd.Series:
    return units.map(rows.groupby("unit").size()).fillna(0).astype("int64")


def summary_of(results: pd.DataFrame) -> pd.DataFrame:
    """One row per group: mean and standard error over replicates of scores and spending; the error is NULL at n = 1.

    n: searches. n_NAME: those that tell it. One without a result has no score, and is no 0.
    """
    rows = []
    for key, group in results.groupby(GROUP, sort=False, dropna=False):
        row: dict[str, object] = {**dict(zip(GROUP, key, strict=True)), "n": len(group)}
        for name in SUMMED:
            mean, error, n = mean_and_error(group[name].astype("float64"))
            row |= {name: mean, f"{name}_se": error, f"n_{name}": n}
        rows.append(row)
    return pd.DataFrame(rows)
