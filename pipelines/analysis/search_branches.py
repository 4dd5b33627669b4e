"""Every branch in a row: what it was given, why, what it measured, and what the audit said."""

import pandas as pd

from pipelines.analysis.search_keys import SEARCH

COLUMNS = [
    *(*SEARCH, "iteration", "branch", "operator", "idea_id", "title", "kind", "counts_for", "cluster", "track"),
    *("cluster_label", "cluster_action", "idea_action_asked", "idea_action_done", "rank", "of", "deviated", "parents"),
    *("fallback", "executions", "right", "lost", "success", "score", "score_local", "score_declared", "metric"),
    *("parent_score", "gain", "role", "flags", "mechanical", "held_out_score", "held_out_verdict", "is_result"),
    *("ideas_proposed", "ideas_kept", "seconds", "tokens", "cost", "status", "error_kind", "error"),
    *("solution", "parent_solution"),
]
KEY = ["unit", "branch"]


def branches(tables: dict[str, pd.DataFrame], tracked: pd.DataFrame) -> pd.DataFrame:
    """One row per branch. ``tracked`` are the rows of `tracks`; scores are from 0 to 1.

    deviated: whether a better rank was passed over. right, lost: executions. parent_score: of the branch whose code it
    began with. flags: of all audits, each once. held_out_*: where the branch was verified. is_result: of its search.
    """
    found = tables["assignments"].merge(
        tables["attempts"].drop(columns=[*SEARCH[1:], "iteration"]), on=KEY, how="left", suffixes=("", "_counted")
    )
    found = found.rename(columns={"idea_id_counted": "counts_for"})
    ideas = tables["ideas"][["unit", "id", "title", "kind"]].rename(columns={"id": "idea_id"})
    labels = tables["clusters"][["unit", "iteration", "cluster", "label"]].drop_duplicates()
    labels = labels.merge(tracked, on=["unit", "iteration", "cluster"]).rename(columns={"label": "cluster_label"})
    found = found.merge(ideas, on=["unit", "idea_id"], how="left")
    found = found.merge(labels, on=["unit", "iteration", "cluster"], how="left")
    found = found.merge(_measured(tables["executions"]), on=KEY, how="left")
    found = found.merge(_audited(tables["audits"]), on=KEY, how="left")
    grown = tables["expansions"][[*KEY, "proposed", "kept"]]
    found = found.merge(grown.rename(columns={"proposed": "ideas_proposed", "kept": "ideas_kept"}), on=KEY, how="left")
    result = tables["searches"].set_index("unit")["best_branch"]
    found = found.assign(
        deviated=found["deviation"].fillna("").ne(""),
        is_result=found["branch"].eq(found["unit"].map(result)).fillna(False),
        flags=found["flags"].where(found["flags"].notna(), found["audit_flags"]).fillna(""),
        executions=found["executions"].fillna(0).astype("int64"),
    )
    whole = dict.fromkeys(("cluster", "track", "rank", "of", "ideas_proposed", "ideas_kept", "tokens"), "Int64")
    table = _from_parents(found)[COLUMNS].astype({**whole, "right": "Int64", "lost": "Int64"})
    return table.sort_values(KEY, kind="stable").reset_index(drop=True)


def _measured(executions: pd.DataFrame) -> pd.DataFrame:
    """Right and lost ones of each branch, and its held-out verification."""
    counted = executions.loc[executions["seeding"] == "search"]
    counted = counted.assign(lost=counted["verdict"].eq("lost"), right=counted["correct"].fillna(False).astype("bool"))
    sums = counted.groupby(KEY)[["right", "lost"]].sum()
    held = executions.loc[executions["seeding"] == "held_out"].groupby(KEY)[["score", "verdict"]].last()
    held = held.rename(columns={"score": "held_out_score", "verdict": "held_out_verdict"})
    return sums.join(held, how="outer").reset_index()


def _audited(audits: pd.DataFrame) -> pd.DataFrame:
    """Flags and mechanical findings of all of a branch's audits, each once."""
    rows = [
        (unit, branch, *(",".join(dict.fromkeys(_listed(part[name]))) for name in ("flags", "mechanical")))
        for (unit, branch), part in audits.groupby(KEY)
    ]
    return pd.DataFrame(rows, columns=[*KEY, "flags", "mechanical"]).astype({"branch": "int64"})


def _listed(cells: pd.Series) -> list[str]:
    return [name for cell in cells.dropna() for name in str(cell).split(",") if name]


def _from_parents(found: pd.DataFrame) -> pd.DataFrame:
    """With the score of the first parent, and what was gained on it."""
    first = pd.to_numeric(found["parents"].fillna("").str.split(",").str[0], errors="coerce")
    score = found.set_index(KEY)["score"]
    parent = [
        score.get((unit, int(one))) if one == one else None for unit, one in zip(found["unit"], first, strict=True)
    ]
    with_parent = found.assign(parent_score=pd.Series(parent, index=found.index, dtype="float64"))
    return with_parent.assign(gain=with_parent["score"] - with_parent["parent_score"])
