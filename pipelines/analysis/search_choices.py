"""How searches choose and grow: explore and exploit, what the pool is expanded by, and what rewriting mends."""

import pandas as pd

from pipelines.analysis.search_keys import GROUP, SEARCH

KINDS = ("fix_error", "push_score", "cross_pollinate", "new_idea")
ACTIONS = [(cluster, idea) for cluster in ("explore", "exploit") for idea in ("explore", "exploit")]


def actions(assignments: pd.DataFrame) -> pd.DataFrame:
    """Shares of the four (cluster, idea) actions by group and iteration, over branches that have both.

    All four stand for each iteration, those that nobody took with 0.
    """
    rows = []
    taken = assignments.dropna(subset=["cluster_action", "idea_action_done"])
    for key, group in taken.groupby([*GROUP, "iteration"], dropna=False):
        for cluster, idea in ACTIONS:
            n = int((group["cluster_action"].eq(cluster) & group["idea_action_done"].eq(idea)).sum())
            rows.append((*key, cluster, idea, n, n / len(group)))
    return pd.DataFrame(rows, columns=[*GROUP, "iteration", "cluster_action", "idea_action", "branches", "share"])


def expansion_kinds(ideas: pd.DataFrame) -> pd.DataFrame:
    """Shares of the four kinds among the ideas that branches brought into the pool, by group."""
    rows = []
    grown = ideas.loc[(ideas["iteration"] > 0) & ideas["kind"].isin(KINDS)]
    for key, group in grown.groupby(GROUP, dropna=False):
        for kind in KINDS:
            n = int(group["kind"].eq(kind).sum())
            rows.append((*key, kind, n, n / len(group)))
    return pd.DataFrame(rows, columns=[*GROUP, "kind", "ideas", "share"])


def idea_growth(ideas: pd.DataFrame, expansions: pd.DataFrame) -> pd.DataFrame:
    """Ideas that came after each iteration of each search (0: the first pool), and how many there were then.

    proposed, dropped: of expansions; NULL where there was none.
    """
    added = ideas.groupby([*SEARCH, "iteration"], dropna=False).size().rename("added").reset_index()
    added = added.assign(pool=added.groupby("unit")["added"].cumsum())
    sums = expansions.groupby(["unit", "iteration"])[["proposed", "dropped"]].sum().reset_index()
    whole = {"proposed": "Int64", "dropped": "Int64"}
    return added.merge(sums, on=["unit", "iteration"], how="left").astype(whole)


def mismatch(audits: pd.DataFrame) -> pd.DataFrame:
    """By group and phase: audits, and how many found that the code is not the idea.

    ``before`` is every branch as it was assigned, ``after`` those whose idea was rewritten to what the code does.
    """
    flagged = audits.assign(hit=audits["flags"].fillna("").str.split(",").map(lambda names: "idea_mismatch" in names))
    grouped = flagged.assign(_first=flagged["phase"].ne("before")).groupby([*GROUP, "_first", "phase"], dropna=False)
    found = grouped["hit"].agg(["size", "sum"]).reset_index().drop(columns="_first")
    found = found.rename(columns={"size": "audits", "sum": "idea_mismatch"})
    return found.assign(share=found["idea_mismatch"] / found["audits"])
