"""Best so far: ties, lost and discarded executions, tokens that are not known, means over replicates."""

import pandas as pd
import pytest
from made_search_tables import MadeSearches

from pipelines.analysis.search_best import best_so_far, mean_best


def found(made: MadeSearches) -> pd.DataFrame:
    tables = made.frames()
    return best_so_far(tables["executions"], tables["attempts"], tables["calls"])


def axis(best: pd.DataFrame, name: str) -> pd.DataFrame:
    return best.loc[best["axis"] == name].reset_index(drop=True)


def test_branches_interleave_ties_do_not_improve_and_a_lost_one_counts() -> None:
    made = MadeSearches()
    keys = made.search()
    made.branch(keys, 1, [None, 0.2, 0.2], start=0.0)
    made.branch(keys, 2, [0.1, 0.4], start=0.5)
    rows = axis(found(made), "executions")
    assert rows["x"].tolist() == [1, 2, 3, 4, 5]
    assert rows["branch"].tolist() == [1, 2, 1, 2, 1]
    assert rows["best"].fillna(-1).tolist() == [-1, 0.1, 0.2, 0.4, 0.4]
    assert rows["improved"].tolist() == [False, True, True, True, False]


def test_what_is_discarded_wrong_or_held_out_raises_no_line() -> None:
    made = MadeSearches()
    keys = made.search()
    made.branch(keys, 1, [0.2])
    made.branch(keys, 2, [0.9], role="discarded", start=1.0)
    made.execution(keys, 1, 2, 0.8, 2.0, correct=False)
    made.execution(keys, 1, 1, 0.7, 3.0, seeding="held_out")
    assert axis(found(made), "executions")["best"].tolist() == [0.2, 0.2, 0.2]


def test_time_runs_from_the_first_call_to_the_verdict() -> None:
    made = MadeSearches()
    keys = made.search()
    made.branch(keys, 1, [0.2, 0.3], start=1.0)
    made.asked(keys, "ideate", None, minute=0.5)
    rows = axis(found(made), "seconds")
    assert rows["x"].tolist() == [40.0, 100.0]
    assert rows["best"].tolist() == [0.2, 0.3]


def test_tokens_are_those_of_calls_that_had_come_back() -> None:
    made = MadeSearches()
    keys = made.search()
    made.branch(keys, 1, [0.2, 0.3], start=1.0)
    made.asked(keys, "ideate", 100)
    made.asked(keys, "expand", 70, minute=2.0)
    made.asked(keys, "expand", None, minute=2.0, error_kind="server")
    made.asked(keys, "expand", 1, minute=9.0)
    assert axis(found(made), "tokens")["x"].tolist() == [100.0, 170.0]


@pytest.mark.parametrize("error", [None, "invalid"])
def test_a_call_that_does_not_tell_leaves_no_line_against_tokens(error: str | None) -> None:
    made = MadeSearches()
    keys = made.search()
    made.branch(keys, 1, [0.2])
    made.asked(keys, "ideate", 100)
    made.asked(keys, "ideate", None, error_kind=error)
    assert set(found(made)["axis"]) == {"executions", "seconds"}


def test_a_mean_needs_all_replicates_and_one_that_ended_keeps_its_best() -> None:
    made = MadeSearches()
    made.branch(made.search(replicate=0), 1, [0.2, 0.4, 0.6])
    made.branch(made.search(replicate=1), 1, [None, 0.2])
    rows = axis(mean_best(found(made)), "executions")
    assert rows["x"].tolist() == [2, 3]
    assert rows["mean"].tolist() == pytest.approx([0.3, 0.4])
    assert rows["se"].tolist() == pytest.approx([0.1, 0.2])
    assert rows["n"].tolist() == [2, 2]


def test_one_replicate_has_no_error() -> None:
    made = MadeSearches()
    made.branch(made.search(), 1, [0.2])
    assert mean_best(found(made))["se"].isna().all()
