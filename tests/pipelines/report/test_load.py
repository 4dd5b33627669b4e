"""Run folders are read as one run, each unit once; what is not a run folder is refused in one line."""

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from made_tables import Made, panel

from actors.errors import BadInput
from pipelines.report.load import load
from pipelines.report.tables import make_tables


def rewrite(folder: Path, table: str, change: Callable[[pa.Table], pa.Table]) -> None:
    file = folder / "tables" / f"{table}.parquet"
    pq.write_table(change(pq.read_table(file)), file)


def remove(path: Path) -> None:
    path.unlink()


BREAKS: dict[str, tuple[Callable[[Path], object], str]] = {
    "no folder": (lambda run: run.rename(run.with_name("gone")), "no such folder"),
    "no tables": (lambda run: (run / "tables").rename(run / "other"), "not a run folder, it has no tables/"),
    "a table missing": (lambda run: remove(run / "tables" / "cards.parquet"), "cards.parquet: is missing"),
    "not Parquet": (
        lambda run: (run / "tables" / "turns.parquet").write_text("t,question"),
        "turns.parquet: cannot be",
    ),
    "a column missing": (
        lambda run: rewrite(run, "ratings", lambda table: table.drop_columns(["judge", "t"])),
        "ratings.parquet: columns are not those of docs/tables.md: lacks t, judge;",
    ),
    "a column too many": (
        lambda run: rewrite(run, "units", lambda table: table.append_column("mood", pa.nulls(table.num_rows))),
        "units.parquet: columns are not those of docs/tables.md: has unknown mood;",
    ),
    "another type": (
        lambda run: rewrite(
            run, "cards", lambda table: table.set_column(5, "t", pa.array(["0"] * table.num_rows, pa.string()))
        ),
        "cards.parquet: column t is string, not int64;",
    ),
}


@pytest.mark.parametrize("name", BREAKS)
def test_refusals(tmp_path: Path, name: str) -> None:
    made = Made()
    made.game({0: panel(1)})
    run = made.write(tmp_path / "game-00")
    broken, message = BREAKS[name]
    broken(run)
    with pytest.raises(BadInput) as caught:
        load([run])
    assert message in str(caught.value)
    assert str(caught.value).startswith(str(run))
    assert "\n" not in str(caught.value)
    assert ";" in str(caught.value) or ", it" in str(caught.value)


def test_no_folder_at_all() -> None:
    with pytest.raises(BadInput, match="no run folder given"):
        load([])


def test_two_runs_are_read_as_one(tmp_path: Path) -> None:
    first, second = Made(), Made()
    first.game({0: panel(1), 10: panel(3)}, model="alpha")
    second.game({0: panel(2), 10: panel(6)}, model="beta")
    runs = load([first.write(tmp_path / "a"), second.write(tmp_path / "b")])
    assert make_tables(runs, 0)["outcome"][["model", "final"]].to_numpy().tolist() == [["alpha", 3.0], ["beta", 6.0]]
    assert runs.whole("turns", sorted(runs.cards["unit"].unique()))["model"].value_counts().to_dict() == {
        "alpha": 10,
        "beta": 10,
    }


def test_a_unit_in_two_runs_counts_once_and_from_where_it_got_furthest(tmp_path: Path) -> None:
    pending, played = Made(), Made()
    unit = pending.game({}, status="pending")
    played.game({0: panel(1, 2), 10: panel(3, 4)})
    paths = [pending.write(tmp_path / "a"), played.write(tmp_path / "b"), played.write(tmp_path / "c")]
    runs = load([*paths, paths[1]])
    assert runs.dirs == tuple(paths)
    assert runs.units["unit"].value_counts().to_dict() == dict.fromkeys(runs.units["unit"], 1)
    assert runs.units.set_index("unit").loc[unit, "status"] == "ok"
    assert len(runs.whole("turns", [unit])) == len(runs.turns) == 10
    assert runs.calls["calls"].sum() == len(played.rows["calls"])
    assert make_tables(runs, 0)["outcome"]["final"].tolist() == [3.5]


def test_a_second_panel_in_another_run_joins_the_first(tmp_path: Path) -> None:
    first, second = Made(), Made()
    first.game({10: {"a": 3}})
    second.game({10: {"b": 6}})
    runs = load([first.write(tmp_path / "a"), second.write(tmp_path / "b")])
    assert sorted(runs.panel["judge"]) == ["a", "b"]
    assert make_tables(runs, 0)["scores"]["score"].tolist() == [4.5]
