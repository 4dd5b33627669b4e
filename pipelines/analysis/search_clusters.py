"""Clusters over the iterations of a search: which one goes on as which, and the best score that each one gave."""

import pandas as pd

from pipelines.analysis.search_keys import SEARCH

COLUMNS = [
    *(*SEARCH, "track", "iteration", "cluster", "label", "ideas", "evaluated", "rank", "branches"),
    *("mean", "best", "best_by_then", "fallback"),
]


def tracks(clusters: pd.DataFrame) -> pd.DataFrame:
    """Columns unit, iteration, cluster, track: clusters of one track are one cluster in several iterations.

    Each pair of one iteration's and the iteration before's clusters shares some ideas: the pair that shares most goes
    together, then the next, each cluster once; of equals, the lower numbers. One that finds none begins a new track.
    """
    rows = []
    for unit, search in clusters.groupby("unit", sort=False):
        before: dict[int, tuple[int, set[str]]] = {}
        opened = 0
        for iteration, own in search.groupby("iteration"):
            now = {int(str(cluster)): set(part["idea_id"]) for cluster, part in own.groupby("cluster")}
            follows = matched({name: ideas for name, (_, ideas) in before.items()}, now)
            given: dict[int, tuple[int, set[str]]] = {}
            for cluster, ideas in now.items():
                if cluster in follows:
                    track = before[follows[cluster]][0]
                else:
                    opened += 1
                    track = opened
                given[cluster] = (track, ideas)
                rows.append((unit, iteration, cluster, track))
            before = given
    return pd.DataFrame(rows, columns=["unit", "iteration", "cluster", "track"])


def matched(before: dict[int, set[str]], now: dict[int, set[str]]) -> dict[int, int]:
    """For clusters of now the one of before that they go on from, by greatest overlap of ideas."""
    pairs = [(-len(old & new), a, b) for a, old in before.items() for b, new in now.items() if old & new]
    found: dict[int, int] = {}
    for _, a, b in sorted(pairs):
        if b not in found and a not in found.values():
            found[b] = a
    return found


def cluster_scores(
    clusters: pd.DataFrame, ranks: pd.DataFrame, assignments: pd.DataFrame, attempts: pd.DataFrame
) -> pd.DataFrame:
    """One row per cluster and iteration. Scores are of attempts that are right and not discarded.

    mean, best: of this iteration's branches from the cluster, NULL where none gave a score. best_by_then: of all
    attempts up to this iteration at ideas that are in it now. evaluated: how many of its ideas were tried before.
    """
    if not len(clusters):
        return pd.DataFrame(columns=COLUMNS)
    ideas = clusters.merge(tracks(clusters), on=["unit", "iteration", "cluster"])
    counting = attempts.loc[attempts["success"].astype("bool") & (attempts["role"] != "discarded")]
    scored = assignments[["unit", "iteration", "branch", "cluster"]].merge(
        counting[["unit", "branch", "score"]], on=["unit", "branch"], how="left"
    )
    rank = ranks.loc[ranks["idea_id"].isna()].set_index(["unit", "iteration", "cluster"])["rank"]
    rows = []
    for (unit, iteration, cluster), part in ideas.groupby(["unit", "iteration", "cluster"], sort=False):
        mine = scored.query("unit == @unit and iteration == @iteration and cluster == @cluster")
        past = attempts.loc[(attempts["unit"] == unit) & (attempts["iteration"] < iteration), "idea_id"]
        upto = counting.loc[(counting["unit"] == unit) & (counting["iteration"] <= iteration)]
        rows.append(
            {
                **part.iloc[0][[*SEARCH, "track", "iteration", "cluster", "label", "fallback"]].to_dict(),
                "ideas": len(part),
                "evaluated": int(part["idea_id"].isin(past).sum()),
                "rank": rank.get((unit, iteration, cluster)),
                "branches": len(mine),
                "mean": mine["score"].mean(),
                "best": mine["score"].max(),
                "best_by_then": upto.loc[upto["idea_id"].isin(part["idea_id"]), "score"].max(),
            }
        )
    found = pd.DataFrame(rows, columns=COLUMNS).astype({"rank": "Int64"})
    return found.sort_values(["unit", "track", "iteration"], kind="stable").reset_index(drop=True)
