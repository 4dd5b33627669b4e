"""Tables before a run, while it goes on and after: cheap at first and marked as such, whole at the end."""

from collections.abc import Callable, Sequence

import pyarrow.parquet as pq
import pytest
from conftest import Bench

from pipelines.config import settings
from pipelines.gather import outline, stale
from pipelines.plan import Work, plan
from pipelines.report.load import load
from pipelines.status import status
from pipelines.store import Store
from pipelines.work import prepare_folder

SMALL = ("cast=scripted", "replicates=1", "questions=3", "papers=2", "judges=[fair]", "inquisitors=[novice]")
MORE = (*SMALL[:-1], "inquisitors=[novice,adept]")


def work(bench: Bench, *more: str) -> Work:
    return plan(settings(bench.overrides(*more)))


def test_before_a_run_its_tables_are_what_the_index_alone_tells(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, refusal: Callable[[Sequence[str]], str]
) -> None:
    assert bench.run(*SMALL) == 0
    bigger = work(bench, *MORE)
    store = Store(bigger.settings.store)
    prepare_folder(bigger)
    with monkeypatch.context() as unread:
        unread.setattr(Store, "plain", None)  # no record is opened
        outline(bigger.units, store, bigger.tables)
    units = bench.table("units", *MORE)
    assert units.unit.tolist() == [unit.id for unit in bigger.units]
    assert units.groupby("model").status.unique().to_dict() == {"adept": ["pending"], "novice": ["ok"]}
    assert units[units.model == "novice"].finished_at.notna().all()
    assert [len(bench.table(name, *MORE)) for name in ("turns", "cards", "ratings", "calls")] == [0, 0, 0, 0]
    assert stale(bigger.units, store, bigger.tables)
    assert status(bigger.folder)["units"]["game"] == {"ok": 2, "error": 0, "pending": 2}
    said = refusal(["report", str(bench.folder(*SMALL)), str(bigger.folder)])
    assert f"{bigger.tables}: not complete yet, the run goes on or was interrupted" in said
    assert bench.run(*MORE) == 0
    assert len(load([bigger.folder]).turns) == 4 * 3
    assert not stale(bigger.units, Store(store.folder), bigger.tables)


def test_an_interrupted_run_that_has_nothing_left_to_play_is_made_whole(bench: Bench) -> None:
    assert bench.run(*SMALL, "run.dir=" + str(bench.outputs / "one")) == 0
    small = work(bench, *SMALL)
    outline(small.units, Store(small.settings.store), small.tables)
    assert bench.run(*SMALL) == 0
    assert len(bench.table("turns", *SMALL)) == 2 * 3
    assert (bench.table("units", *SMALL).seconds > 0).all()


def test_whole_tables_stay_until_better_ones_are_there_and_go_where_units_are_others(bench: Bench) -> None:
    assert bench.run(*SMALL) == 0
    small = work(bench, *SMALL)
    outline(small.units, Store(small.settings.store), small.tables)
    assert len(bench.table("turns", *SMALL)) == 2 * 3
    outline(small.units[:2], Store(small.settings.store), small.tables)
    assert len(bench.table("turns", *SMALL)) == 0
    assert len(bench.table("units", *SMALL)) == 2


def test_rows_go_out_in_groups(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    assert bench.run(*SMALL, "run.dir=" + str(bench.outputs / "one")) == 0
    monkeypatch.setattr("pipelines.gather.ROWS_A_GROUP", 3)
    assert bench.run(*SMALL) == 0
    for name in ("units", "turns", "cards", "ratings", "calls"):
        grouped, whole = (bench.outputs / run / "tables" / f"{name}.parquet" for run in (bench.folder(*SMALL), "one"))
        assert pq.read_table(grouped).equals(pq.read_table(whole)), name
        assert pq.ParquetFile(whole).num_row_groups == 1
    assert pq.ParquetFile(bench.folder(*SMALL) / "tables" / "turns.parquet").num_row_groups == 2
