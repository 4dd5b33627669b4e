"""Tables that are read by column and in pieces are the tables: the same rows, words in the same order."""

from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pipelines.report import rows
from pipelines.report.rows import as_words, categories, framed, pieces

COLUMNS = ("unit", "t", "answer", "question")
NAMES = ["game/b", "game/a", "game/c"]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Row groups of two; a word and a number are NULL."""
    table = pa.table(
        {
            "unit": pa.array([NAMES[place // 3] for place in range(9)]),
            "t": pa.array([1, 2, 3, 1, None, 3, 1, 2, 3]),
            "answer": pa.array(["YES", "NO", None, "NO", "NO", "YES", "UNKNOWN", "NO", "YES"]),
            "question": pa.array([f"Is it {place}?" for place in range(9)]),
        }
    )
    pq.write_table(table, tmp_path / "turns.parquet", row_group_size=2)
    return tmp_path / "turns.parquet"


@pytest.mark.parametrize("size", [1, 3, 100])
def test_pieces_make_the_table_again(file: Path, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "ROWS", size)
    found = framed(pieces(file, COLUMNS, {}), COLUMNS, {})
    pd.testing.assert_frame_equal(as_words(found), pq.read_table(file).to_pandas())
    assert isinstance(found["unit"].dtype, pd.CategoricalDtype)
    assert found["unit"].drop_duplicates().sort_values().tolist() == sorted(NAMES)
    assert found["unit"].min() == "game/a"


@pytest.mark.parametrize("size", [1, 100])
def test_only_what_is_asked_for_is_kept(file: Path, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "ROWS", size)
    kept = {"unit": pa.array(["game/c", "game/b", "game/x"]), "answer": pa.array(["YES", "UNKNOWN"])}
    found = framed(pieces(file, COLUMNS, kept), COLUMNS, {})
    assert found["question"].tolist() == ["Is it 0?", "Is it 6?", "Is it 8?"]
    assert not list(pieces(file, COLUMNS, {"unit": pa.array(["game/x"])}))
    assert framed(pieces(file, COLUMNS, {"t": pa.array([2])}), COLUMNS, {})["unit"].tolist() == ["game/b", "game/c"]


def test_categories_that_frames_share(file: Path) -> None:
    shared = categories([pd.Series([*NAMES, "game/d"])])
    known = framed(pieces(file, COLUMNS, {}), COLUMNS, {"unit": shared})
    assert known["unit"].dtype == shared
    narrow = categories([pd.Series(NAMES[:2])])
    found = framed(pieces(file, COLUMNS, {}), COLUMNS, {"unit": narrow})
    assert found["unit"].tolist() == known["unit"].tolist(), "a word that is not among them is kept all the same"
