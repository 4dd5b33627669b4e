"""The paper's numbers ship whole, each once, and what they imply of one another holds."""

from pathlib import Path

import pytest

from actors.errors import BadInput
from pipelines.analysis.reported import COLUMNS, KEY, reported, value


def test_every_row_is_a_number_and_stands_once() -> None:
    found = reported()
    assert list(found) == COLUMNS
    assert not found.duplicated(KEY).any()
    assert found["value"].notna().all()
    assert {"Table 1", "Table 2", "Table 4", "Table 5", "Table 9", "Table 10", "Bound"} <= set(found["table"])


def test_ranges_have_two_ends_in_order() -> None:
    found = reported().set_index(KEY)["value"]
    ranges = [key for key in found.index if key[2].endswith(", from")]
    assert len(ranges) > 15
    for table, row, column in ranges:
        assert found[table, row, column] < found[table, row, column.removesuffix("from") + "to"]


@pytest.mark.parametrize(("model", "first"), [("gemma-4-31b", 1.16), ("qwen3-6-35b-a3b", 1.00), ("gpt-oss-120b", 1.85)])
def test_cells_of_table_1_stand_where_they_should(model: str, first: float) -> None:
    assert value(reported(), "Table 1", model, "gap at 100, k=10") == first


def test_the_gains_of_table_5_are_those_of_figure_6_within_rounding() -> None:
    found = reported()
    for model in (
        "deepseek-v4-flash",
        "gpt-oss-120b",
        "claude-sonnet-4-5",
        "qwen3-6-35b-a3b",
        "gemma-4-31b",
        "gpt-5-4",
    ):
        decoy, full = (value(found, "Figure 6", model, f"score at 100, {name}") for name in ("decoy", "full"))
        assert value(found, "Table 5", model, "gain, whole panel") == pytest.approx(full - decoy, abs=0.0101)


def test_the_gap_that_knowledge_closes() -> None:
    gaps = [value(reported(), "Probe", row, "gap") for row in ("all papers", "both list the idea")]
    assert round(100 * (1 - gaps[1] / gaps[0]), 1) == value(reported(), "Probe", "knowledge", "gap closed %") == 10.2


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["T,r,c,1,s", "T,r,c,2,s"], "row 3: stands twice"),
        (["T,r,c,1,s", "T,r,d,many,s"], "row 3: value is no number"),
        (["T,r,,1,s"], "row 2: a cell is empty"),
    ],
)
def test_a_spoilt_file_is_refused_by_its_row(tmp_path: Path, lines: list[str], said: str) -> None:
    path = tmp_path / "reported.csv"
    path.write_text("\n".join([",".join(COLUMNS), *lines]) + "\n")
    with pytest.raises(BadInput, match=said):
        reported(path)


def test_other_columns_and_no_file_are_refused(tmp_path: Path) -> None:
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    with pytest.raises(BadInput, match="columns are a, b"):
        reported(tmp_path / "other.csv")
    with pytest.raises(BadInput, match="cannot be read"):
        reported(tmp_path / "none.csv")
