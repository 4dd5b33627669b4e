"""What tells searches apart, and which are replicates of one another."""

import json
from collections.abc import Mapping
from functools import cache, reduce
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from made_search_tables import MadeSearches

from pipelines.analysis.search_keys import variants
from pipelines.config import settings
from pipelines.search_settings import SearchSettings

PLACES = [Path("/a/first"), Path("/a/second"), Path("/a/third")]


@cache
def plain() -> str:
    return settings(["experiment=idea_search", "cast=scripted"]).model_dump_json(by_alias=True)


def played(changes: Mapping[str, object] | None = None) -> dict[str, Any]:
    """What is played with other values, by dotted key."""
    values = json.loads(plain())
    for key, value in (changes or {}).items():
        *path, last = key.split(".")
        reduce(dict.__getitem__, path, values)[last] = value
    return SearchSettings.model_validate(values).played()


def run(make: str, *replicates: int, policy: str = "aim") -> pd.DataFrame:
    """A run's table of units; ``make`` is what its search is known by."""
    made = MadeSearches()
    for replicate in replicates or (0,):
        made.search(policy, replicate, make=make)
    return made.frame("units")


def said(*runs: Mapping[str, Any]) -> list[str]:
    """The names of searches of one policy, one a run."""
    units = [run(str(number)) for number in range(len(runs))]
    return list(variants(units, runs, PLACES[: len(runs)]).values())


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ({"audit": False}, ["audit=enforce", "audit=record"]),
        ({"branches": 8}, ["branches=5", "branches=8"]),
        ({"iterations": 3}, ["iterations=5", "iterations=3"]),
        ({"branch_minutes": 2}, ["branch_minutes=None", "branch_minutes=2.0"]),
        ({"clock_hours": 1}, ["clock_hours=6.0", "clock_hours=1.0"]),
        ({"budget.executions": 100}, ["executions=300", "executions=100"]),
        ({"seed": 7}, ["seed=0", "seed=7"]),
        ({"policy.estimate": False}, ["estimate=True", "estimate=False"]),
        ({"solver.pairs": False}, ["pairs=True", "pairs=False"]),
        ({"models.manager.max_tokens": 99}, ["models.manager.max_tokens=4096", "models.manager.max_tokens=99"]),
        ({"models.manager.send_seed": True}, ["models.manager.send_seed=False", "models.manager.send_seed=True"]),
    ],
)
def test_whatever_is_played_otherwise_is_said(given: dict[str, object], names: list[str]) -> None:
    assert said(played(), played(given)) == names


def test_the_coder_is_said_where_one_is_asked() -> None:
    given = {f"models.{name}": {"name": name, "family": "f", "model": f"openai/{name}"} for name in ("one", "two")}
    names = said(*(played({**given, "solver": {"kind": "llm"}, "coder": coder}) for coder in ("one", "two")))
    assert names == ["coder=one", "coder=two"]
    assert said(played(), played({**given, "coder": "one", "audit": "skip"})) == ["audit=enforce", "audit=skip"]


def test_what_is_no_difference_is_not_said() -> None:
    assert said(played()) == [""]
    both = said(
        played({"audit": False, "replicates": 2}), played({"audit": False, "branches": 8, "cluster.in_flight": 3})
    )
    assert both == ["branches=5", "branches=8"]


def test_settings_are_compared_over_all_policies_and_those_of_a_policy_within_it() -> None:
    units = [run("0"), run("1"), run("2", policy="best_of_n")]
    runs = [played(), played({"policy.estimate": False}), played({"policy": {"name": "best_of_n"}, "branches": 8})]
    names = list(variants(units, runs, PLACES).values())
    assert names == ["branches=5, estimate=True", "branches=5, estimate=False", "branches=8"]


def test_long_values_are_cut_and_still_differ() -> None:
    first, second = said(*({"policy": {"name": "aim", "text": f"{'word ' * 20}{end}"}} for end in "ab"))
    assert first != second
    assert first[:24] == second[:24] == "text=word word word word"
    assert max(len(first), len(second)) < 60


def test_replicates_of_one_search_come_together_from_wherever_they_lie() -> None:
    units = [run("same", 0, 1), run("other", 0), run("same", 0, 1, 2, 3)]
    own = variants(units, [played({"replicates": 2}), played({"audit": False}), played({"replicates": 4})], PLACES)
    assert len(own) == 5
    assert sorted(own.values()) == ["audit=enforce"] * 4 + ["audit=record"]


def test_searches_that_no_setting_tells_apart_are_named_by_their_folders() -> None:
    same = [played(), played(), played()]
    assert said(*same) == ["first", "second", "third"]
    units = [run("old", 0, 1), run("new", 0, 1), run("new", 0, 1, 2)]
    twins = [Path("/old/search"), Path("/new/search"), Path("/later/search")]
    names = variants(units, same, twins)
    assert sorted(names.values()) == ["new/search"] * 3 + ["old/search"] * 2
    assert said({}, {}) == ["first", "second"]
