"""From a search's record to its tables: every row of the search, flat, with the columns that the tables declare."""

import json
from pathlib import Path

import pandas as pd
import pytest
from conftest import Bench
from search_records import BEST, FIRST, record

from actors.errors import BadInput
from pipelines.config import settings
from pipelines.flat import flat
from pipelines.gather import gather, outline, stale
from pipelines.plan import Work, plan
from pipelines.report.load import load
from pipelines.search_tables import SEARCH_TABLES
from pipelines.store import Store, Writer
from pipelines.table import OF_SEARCHES, schema
from pipelines.work import prepare_folder

KEYS = {"unit", "task", "profile", "policy", "solver", "model", "replicate"}


def planned(bench: Bench) -> Work:
    more = ("experiment=idea_search", "cast=scripted", "replicates=2", "budget.executions=30", "policy=best_of_n")
    return plan(settings(bench.overrides(*more)))


@pytest.fixture
def work(bench: Bench) -> Work:
    """A run of two searches, of which the first is finished."""
    made = planned(bench)
    prepare_folder(made)
    store = Store(made.settings.store)
    writer = Writer(store)
    writer.finish([record(made.units[0].id)])
    writer.close()
    gather(made.units, store, made.tables)
    return made


def table(work: Work, name: str) -> pd.DataFrame:
    return pd.read_parquet(work.tables / f"{name}.parquet")


def test_a_search_writes_its_familys_tables_and_no_other(work: Work) -> None:
    assert {path.stem for path in work.tables.iterdir()} == set(OF_SEARCHES)
    for name in SEARCH_TABLES:
        found = table(work, name)
        assert len(found) > 0, name
        assert set(found.columns) >= KEYS
        assert set(found.unit) == {work.units[0].id}
        assert set(found.policy) == {"best_of_n"}
        assert set(found.model) == {"manager"}


@pytest.mark.parametrize("name", list(SEARCH_TABLES))
def test_every_column_is_what_a_row_of_the_search_has(name: str) -> None:
    stored = json.loads(record("u").model_dump_json())["rows"][name]
    assert set(flat(name, stored)) | KEYS == set(schema(name).names)


def test_units_and_calls_have_both_families_keys(work: Work) -> None:
    units = table(work, "units")
    assert units.status.tolist() == ["ok", "pending"]
    assert units.kind.tolist() == ["search", "search"]
    assert units[["paper", "condition", "reader", "game", "questions"]].isna().all(axis=None)
    calls = table(work, "calls")
    assert calls.part.tolist() == ["01.dispatch", "b01"]
    assert calls.task.tolist() == ["radix_sort", "radix_sort"]
    assert calls.paper.isna().all()


def test_the_pool_is_flat(work: Work) -> None:
    ideas = table(work, "ideas")
    assert ideas.techniques.tolist() == ["tiles\nunroll"] * 3
    assert ideas.experiments[0] == "it is faster: build; time"
    assert ideas.parent_id[2] == "i001"
    clusters = table(work, "clusters")
    assert clusters[["iteration", "cluster", "label", "idea_id"]].values.tolist() == [
        [1, 1, "Memory", "i001"],
        [1, 1, "Memory", "i002"],
    ]
    assert table(work, "ranks").idea_id.isna().tolist() == [True, False]
    plans = table(work, "plans")
    assert plans[["after_iteration", "iteration", "branches"]].values.tolist() == [[0, 1, 2], [0, 2, 1]]
    assert plans.fallback.all()
    assert table(work, "lessons").kept.tolist() == [True]
    assert table(work, "expansions")[["proposed", "kept", "dropped"]].values.tolist() == [[3, 1, 2]]


def test_the_branches_are_flat(work: Work) -> None:
    assignments = table(work, "assignments")
    assert assignments.idea_id.fillna("").tolist() == ["i001", "", "i003"]
    assert assignments.parents.tolist() == ["", "", "1"]
    assert assignments.idea_action_done.fillna("").tolist() == ["exploit", "", ""]
    attempts = table(work, "attempts")
    assert attempts.audit_flags.tolist() == ["idea_mismatch,trivial", "", ""]
    assert attempts.score.fillna(-1).tolist() == [0.5, -1, 0.75]
    executions = table(work, "executions")
    assert executions.branch.tolist() == [1, 1, 2, 3, 3, 3]
    assert executions.verdict.tolist() == ["right", "wrong", "lost", "right", "right", "right"]
    assert (executions.seeding == "held_out").sum() == 1
    assert executions.started_at[0] == pd.Timestamp(1_700_000_000_250, unit="ms", tz="UTC")
    audits = table(work, "audits")
    assert audits["flags"].tolist() == ["idea_mismatch,trivial", ""]
    assert audits.mechanical[0] == "same_as_parent,timing"
    assert audits.reconstructed_title.fillna("").tolist() == ["", "Tiles of 8"]
    assert audits.reconstructed_mode[1] == "conservative"


def test_solutions_are_kept_file_by_file(work: Work) -> None:
    solutions = table(work, "solutions").set_index("solution")
    assert solutions.loc[BEST, "content"] == "int a;\nint d;\n"
    assert solutions.loc[FIRST, "file"] == "sort.c"
    assert solutions.loc[BEST, "encoding"] == "text"
    binary = solutions.loc["3" * 64]
    assert (binary.content, binary.encoding, binary.choice) == ("/wA=", "base64", '{"techniques": {}}')
    searches = table(work, "searches")
    assert searches[["started", "left_over", "best_branch", "score"]].values.tolist() == [[5, 2, 3, 0.75]]


def test_tables_are_stale_until_they_hold_what_the_store_does(work: Work) -> None:
    store = Store(work.settings.store)
    assert not stale(work.units, store, work.tables)
    outline(work.units, store, work.tables)
    assert len(table(work, "ideas")) == 3, "whole tables stay"
    writer = Writer(store)
    writer.finish([record(work.units[1].id)])
    writer.close()
    assert stale(work.units, store, work.tables)


def test_a_report_of_games_says_that_a_search_has_none(work: Work) -> None:
    with pytest.raises(BadInput, match=f"{work.folder}: has no games; it is an idea search"):
        load([Path(work.folder)])
