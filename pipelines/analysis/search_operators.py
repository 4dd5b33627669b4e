"""What each operator of the searches, and the coder, was asked, what that cost, and how often its rule stood in."""

import pandas as pd

from pipelines.analysis.search_best import tokens
from pipelines.analysis.search_keys import GROUP

DISPATCH = {"dispatch_clusters": "dispatch", "dispatch_idea": "dispatch"}
CRITIC = "critic"
DECISION = {  # operator: table, what one decision of it is
    "ideate": ("ideations", ["unit", "iteration", "round"]),
    CRITIC: ("ideations", ["unit", "iteration", "round"]),
    "organize": ("clusters", ["unit", "iteration"]),
    "estimate_clusters": ("ranks", ["unit", "iteration"]),
    "estimate_ideas": ("ranks", ["unit", "iteration", "cluster"]),
    "dispatch": ("assignments", ["unit", "branch"]),
    "audit": ("audits", ["unit", "branch", "phase"]),
    "distill": ("lessons", ["unit", "iteration"]),
    "consolidate": ("consolidations", ["unit", "iteration"]),
    "expand": ("expansions", ["unit", "branch"]),
    "plan": ("plans", ["unit", "after_iteration"]),
}
COLUMNS = [
    *(*GROUP, "operator", "caller", "calls", "errors", "fallbacks", "prompt_tokens", "completion_tokens"),
    *("uncounted", "cost", "unpriced", "seconds"),
]


def fallbacks(tables: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """One row per decision that an operator's rule made: unit, operator, and the group's columns."""
    parts = []
    for operator, (table, key) in DECISION.items():
        rows = tables[table]
        if table == "ranks":
            rows = rows.loc[rows["idea_id"].isna() == (operator == "estimate_clusters")]
        column = "critic_fallback" if operator == CRITIC else "fallback"
        made = rows.loc[rows[column].fillna(False).astype("bool"), [*dict.fromkeys([*key, *GROUP])]]
        parts.append(made.drop_duplicates(key)[["unit", *GROUP]].assign(operator=operator))
    return pd.concat(parts, ignore_index=True)


def operators(tables: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """One row per group, operator and model that was asked; sums over the replicates.

    Tokens and cost are sums over calls that tell, NULL if none does; uncounted, unpriced: calls that do not. fallbacks:
    decisions that the operator's rule made, NULL where the tables do not tell; one may have some without a call.
    """
    calls = tables["calls"].assign(operator=tables["calls"]["seat"].replace(DISPATCH))
    calls = calls.assign(told=tokens(calls), errors=calls["error_kind"].notna())
    by = [*GROUP, "operator"]
    made = fallbacks(tables).groupby(by, dropna=False, sort=False).size().rename("fallbacks").reset_index()
    grouped = calls.groupby([*by, "caller"], dropna=False, sort=False)
    found = grouped.agg(
        calls=("seat", "size"),
        errors=("errors", "sum"),
        told=("told", "count"),
        priced=("cost", "count"),
        seconds=("latency", "sum"),
    )
    found = found.join(grouped[["prompt_tokens", "completion_tokens", "cost"]].sum(min_count=1)).reset_index()
    found = found.merge(made, on=by, how="outer", sort=False)
    found = found.assign(calls=found["calls"].fillna(0).astype("int64"), errors=found["errors"].fillna(0).astype(int))
    found = found.assign(uncounted=found["calls"] - found["told"].fillna(0), unpriced=found["calls"] - found["priced"])
    known = found["fallbacks"].where(found["fallbacks"].notna() | ~found["operator"].isin(DECISION), 0)
    whole = dict.fromkeys(("fallbacks", "prompt_tokens", "completion_tokens", "uncounted", "unpriced"), "Int64")
    table = found.assign(fallbacks=known)[COLUMNS].astype(whole)
    return table.sort_values(
        [*GROUP, "calls"], ascending=[*[True] * len(GROUP), False], kind="stable", ignore_index=True
    )
