"""All tables of a report of searches, by the name of their file."""

import pandas as pd

from pipelines.analysis import search_choices
from pipelines.analysis.search_best import best_so_far, mean_best, tokens
from pipelines.analysis.search_branches import branches
from pipelines.analysis.search_clusters import cluster_scores, tracks
from pipelines.analysis.search_keys import GROUP
from pipelines.analysis.search_operators import fallbacks, operators
from pipelines.analysis.search_results import search_results, summary_of
from pipelines.report.search_load import Searches


def make_search_tables(runs: Searches) -> dict[str, pd.DataFrame]:
    """Every analysis of ``runs``; a table that nothing fills has no rows."""
    own = dict(runs.tables)
    best = best_so_far(own["executions"], own["attempts"], own["calls"])
    results = search_results(own, best, fallbacks(own), tokens(own["calls"]))
    return {
        "summary": summary_of(results),
        "search_results": results,
        "best_so_far": best,
        "best_so_far_mean": mean_best(best),
        "branches": branches(own, tracks(own["clusters"])),
        "cluster_scores": cluster_scores(own["clusters"], own["ranks"], own["assignments"], own["attempts"]),
        "operators": operators(own),
        "actions": search_choices.actions(own["assignments"]),
        "expansion_kinds": search_choices.expansion_kinds(own["ideas"]),
        "idea_growth": search_choices.idea_growth(own["ideas"], own["expansions"]),
        "mismatch": search_choices.mismatch(own["audits"]),
        "search_status": _status(runs.units),
    }


def _status(units: pd.DataFrame) -> pd.DataFrame:
    """Searches by group and how they ended."""
    return units.groupby([*GROUP, "status", "error_kind"], dropna=False).size().rename("searches").reset_index()
