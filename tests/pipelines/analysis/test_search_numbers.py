"""Operators, choices and results, on small tables."""

from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import pandas as pd
import pytest
from made_search_tables import MadeSearches, one_search

import solvers.operators
from pipelines.analysis import search_choices
from pipelines.analysis.search_best import best_so_far, tokens
from pipelines.analysis.search_branches import branches
from pipelines.analysis.search_clusters import tracks
from pipelines.analysis.search_keys import mean_and_error
from pipelines.analysis.search_operators import DECISION, DISPATCH, fallbacks, operators
from pipelines.analysis.search_results import search_results, summary_of
from solvers.operators.operator import Operator


def results(made: MadeSearches) -> pd.DataFrame:
    own = made.frames()
    best = best_so_far(own["executions"], own["attempts"], own["calls"])
    return search_results(own, best, fallbacks(own), tokens(own["calls"]))


def test_a_branch_in_a_row() -> None:
    own = one_search().frames()
    rows = branches(own, tracks(own["clusters"])).set_index("branch")
    told: dict[str, Any] = rows.loc[1].to_dict()
    assert (told["title"], told["cluster_label"], told["rank"], told["deviated"]) == ("Tiles", "L1.1", 2, True)
    assert (told["idea_action_asked"], told["idea_action_done"]) == ("explore", "exploit")
    assert (told["executions"], told["right"], told["lost"], told["score"]) == (3, 2, 1, 0.5)
    assert (told["flags"], told["mechanical"]) == ("idea_mismatch", "same_as_parent")
    assert (told["held_out_score"], told["is_result"], told["ideas_kept"]) == (0.48, True, 1)
    assert rows["role"].tolist() == ["attempt", "discarded"]


def test_a_gain_is_on_the_branch_whose_code_it_began_with() -> None:
    made = MadeSearches()
    keys = made.search()
    made.branch(keys, 1, [0.2])
    made.branch(keys, 2, [0.5], given={"parents": "1,3"})
    own = made.frames()
    assert branches(own, tracks(own["clusters"]))["gain"].fillna(-1).tolist() == pytest.approx([-1, 0.3])


def test_fallbacks_are_counted_once_a_decision() -> None:
    made = one_search()
    rows = operators(made.frames()).set_index("operator")
    assert rows["fallbacks"].to_dict() == {"organize": 1, "expand": 1}
    assert rows["calls"].to_dict() == {"organize": 1, "expand": 1}
    assert rows["prompt_tokens"].to_dict() == {"organize": 100, "expand": 50}


def test_the_ideator_and_its_critic_are_told_apart() -> None:
    made = MadeSearches()
    keys = made.search()
    for number, (ideator, critic) in enumerate([(False, True), (True, True)], 1):
        made.add("ideations", **keys, iteration=1, round=number, fallback=ideator, critic_fallback=critic)
    assert fallbacks(made.frames())["operator"].value_counts().to_dict() == {"critic": 2, "ideate": 1}


def test_every_operator_has_a_table_that_tells() -> None:
    modules = [import_module(one.name) for one in iter_modules(solvers.operators.__path__, "solvers.operators.")]
    names = {one.name for module in modules for one in vars(module).values() if isinstance(one, Operator)}
    assert {DISPATCH.get(name, name) for name in names} == set(DECISION)


def test_operators_without_a_table_do_not_tell_their_fallbacks() -> None:
    made = MadeSearches()
    keys = made.search()
    made.asked(keys, "edit", None, cost=None)
    (row,) = operators(made.frames()).to_dict("records")
    assert (row["uncounted"], row["unpriced"]) == (1, 1)
    assert all(row[name] is pd.NA or pd.isna(row[name]) for name in ("fallbacks", "prompt_tokens", "cost"))


def test_the_four_actions_share_an_iteration() -> None:
    made = MadeSearches()
    keys = made.search()
    for branch, pair in enumerate([("explore", "exploit"), ("explore", "exploit"), ("exploit", "explore")], 1):
        made.branch(keys, branch, [0.1], given={"cluster_action": pair[0], "idea_action_done": pair[1]})
    made.branch(keys, 4, [0.1])
    rows = search_choices.actions(made.frames()["assignments"])
    shares = rows.set_index(["cluster_action", "idea_action"])["share"].to_dict()
    third = pytest.approx(1 / 3)
    assert shares == {
        ("explore", "explore"): 0,
        ("explore", "exploit"): pytest.approx(2 / 3),
        ("exploit", "explore"): third,
        ("exploit", "exploit"): 0,
    }


def test_kinds_and_growth_of_the_pool() -> None:
    made = one_search()
    keys = {name: made.rows["units"][0][name] for name in ("unit", "task", "profile", "policy", "solver", "model")}
    for number, kind in enumerate(("push_score", "push_score", "new_idea"), 10):
        made.add("ideas", **keys, replicate=0, id=f"i{number}", kind=kind, iteration=1, title="t")
    own = made.frames()
    kinds = search_choices.expansion_kinds(own["ideas"]).set_index("kind")["ideas"].to_dict()
    assert kinds == {"fix_error": 0, "push_score": 2, "cross_pollinate": 0, "new_idea": 1}
    growth = search_choices.idea_growth(own["ideas"], own["expansions"])
    assert growth[["iteration", "added", "pool"]].to_numpy().tolist() == [[0, 2, 2], [1, 3, 5]]
    assert growth["dropped"].fillna(-1).tolist() == [-1, 2]


def test_mismatch_before_and_after_rewriting() -> None:
    rows = search_choices.mismatch(one_search().frames()["audits"])
    assert rows[["phase", "audits", "idea_mismatch", "share"]].to_numpy().tolist() == [
        ["before", 1, 1, 1.0],
        ["after", 1, 0, 0.0],
    ]


def test_a_search_says_when_its_best_came_and_what_was_lost() -> None:
    (row,) = results(one_search()).to_dict("records")
    assert (row["best_at_execution"], row["best_at_seconds"], row["best_title"]) == (3, 130.0, "Tiles")
    assert (row["lost"], row["discarded"], row["fallbacks"], row["tokens"]) == (1, 1, 2, 150)
    assert row["cost"] == pytest.approx(0.02)


def test_means_over_replicates_have_an_error_from_two_on() -> None:
    made = MadeSearches()
    for replicate, score in enumerate((0.2, 0.4, None)):
        made.search(replicate=replicate, score=score)
    made.search("other", score=0.3)
    rows = summary_of(results(made)).set_index("policy")
    assert rows.loc["aim", ["n", "n_score"]].tolist() == [3, 2]
    assert rows.loc["aim", ["score", "score_se"]].tolist() == pytest.approx([0.3, 0.1])
    assert rows.loc["other", "score"] == 0.3
    assert pd.isna(rows.loc["other", "score_se"])
    assert rows["n_tokens"].tolist() == [0, 0]
    assert mean_and_error(pd.Series([None], dtype="float64"))[2] == 0
