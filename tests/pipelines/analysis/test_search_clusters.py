"""Clusters over iterations are matched by overlap; their scores are of their own branches."""

import pandas as pd
from made_search_tables import MadeSearches

from pipelines.analysis.search_clusters import cluster_scores, matched, tracks


def scores(made: MadeSearches) -> pd.DataFrame:
    own = made.frames()
    return cluster_scores(own["clusters"], own["ranks"], own["assignments"], own["attempts"])


def test_the_greatest_overlap_goes_first_and_equals_by_number() -> None:
    before = {1: {"a", "b", "c"}, 2: {"d", "e"}}
    assert matched(before, {1: {"d"}, 2: {"a", "b", "d", "e"}}) == {2: 1, 1: 2}
    assert matched({1: {"a", "b"}}, {1: {"a"}, 2: {"b"}}) == {1: 1}
    assert matched({1: {"a"}}, {1: {"z"}}) == {}


def test_a_cluster_keeps_its_track_and_a_new_one_begins_one() -> None:
    made = MadeSearches()
    keys = made.search()
    made.clusters(keys, 1, [1, 2], [3, 4])
    made.clusters(keys, 2, [3, 4, 5], [6], [1, 2])
    made.clusters(keys, 3, [6, 7])
    assert tracks(made.frame("clusters"))[["iteration", "cluster", "track"]].to_numpy().tolist() == [
        [1, 1, 1],
        [1, 2, 2],
        [2, 1, 2],
        [2, 2, 3],
        [2, 3, 1],
        [3, 1, 3],
    ]


def test_scores_are_of_this_iterations_branches_and_then_of_its_ideas() -> None:
    made = MadeSearches()
    keys = made.search()
    made.clusters(keys, 1, [1, 2], [3])
    made.clusters(keys, 2, [1, 2], [3, 4])
    made.branch(keys, 1, [0.4], given={"cluster": 1})
    made.branch(keys, 2, [0.2], given={"cluster": 1})
    made.branch(keys, 3, [0.9], given={"cluster": 2}, role="discarded")
    made.branch(keys, 4, [0.3], iteration=2, given={"cluster": 2})
    made.add("ranks", **keys, iteration=1, cluster=2, rank=1, of=2, rationale="w", fallback=False)
    rows = scores(made).set_index(["iteration", "cluster"])
    assert rows["branches"].to_dict() == {(1, 1): 2, (1, 2): 1, (2, 1): 0, (2, 2): 1}
    assert rows["best"].fillna(-1).to_dict() == {(1, 1): 0.4, (1, 2): -1, (2, 1): -1, (2, 2): 0.3}
    assert rows["best_by_then"].fillna(-1).to_dict() == {(1, 1): 0.4, (1, 2): -1, (2, 1): 0.4, (2, 2): 0.3}
    assert rows["evaluated"].to_dict() == {(1, 1): 0, (1, 2): 0, (2, 1): 2, (2, 2): 1}
    assert rows["rank"].dropna().to_dict() == {(1, 2): 1}


def test_no_clusters_no_rows() -> None:
    assert len(scores(MadeSearches())) == 0
