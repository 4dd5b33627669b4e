"""Reads Parquet by column and in pieces: words that recur become categories, rows that nobody asks for are passed over.

A study's tables have millions of rows. As categories, in the order of their words, ids and names take four bytes a row
instead of a hundred, and are grouped, sorted and merged as before; what is read of them is the same.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

RECURRING = frozenset(
    "unit game source paper model condition reader judge annotator answerer proposer place answer seat caller"
    " error_kind prompt answer_prompt finish_reason".split()
)
"""Columns of words that stand in many rows."""
ROWS = 500_000
"""About how many rows a piece has."""

Values: TypeAlias = "pa.Array[Any]"
Words: TypeAlias = "pa.DictionaryArray[Any, Any]"
Kept: TypeAlias = Mapping[str, Values]
"""By column, the values whose rows are read; NULL is none of them."""
Known = Mapping[str, pd.CategoricalDtype]


def pieces(file: Path, columns: Sequence[str], kept: Kept) -> Iterator[pa.Table]:
    """The ``columns`` of a table, rows in their order; text that recurs is dictionary-encoded."""
    words = [name for name in (*columns, *kept) if name in RECURRING]
    with pq.ParquetFile(file, read_dictionary=words) as opened:
        sizes = [opened.metadata.row_group(place).num_rows for place in range(opened.num_row_groups)]
        ends = np.cumsum([0, *sizes])
        mask = kept_rows(opened, kept)
        wanted = [place for place in range(len(sizes)) if mask is None or mask[ends[place] : ends[place + 1]].any()]
        for groups in in_pieces(wanted, sizes):
            found = opened.read_row_groups(groups, columns=list(columns))
            if mask is not None:
                own = np.concatenate([mask[ends[place] : ends[place + 1]] for place in groups])
                found = found if own.all() else found.filter(pa.array(own))
            yield found


def kept_rows(opened: pq.ParquetFile, kept: Kept) -> NDArray[np.bool_] | None:
    """Which rows have one of the values in each of the columns; None: all."""
    mask: NDArray[np.bool_] | None = None
    for name, values in kept.items():
        own = _within(opened.read(columns=[name])[name], values)
        mask = own if mask is None else mask & own
    return mask


def _within(column: "pa.ChunkedArray[Any]", values: Values) -> NDArray[np.bool_]:
    """Which rows of a column have one of the values: where it has a dictionary, each word is looked up once."""
    if not pa.types.is_dictionary(column.type):
        return np.asarray(pc.is_in(column, value_set=values.cast(column.type)), dtype=np.bool_)
    coded: Any = column.unify_dictionaries().combine_chunks()
    words = np.asarray(pc.is_in(coded.dictionary, value_set=values.cast(coded.dictionary.type)), dtype=np.bool_)
    found = np.append(words, False)  # the last: NULL
    return np.asarray(found[np.asarray(coded.indices.fill_null(-1))], dtype=np.bool_)


def in_pieces(groups: Sequence[int], sizes: Sequence[int]) -> Iterator[list[int]]:
    """Row groups, as many at a time as make a piece."""
    piece: list[int] = []
    for place in groups:
        piece.append(place)
        if sum(sizes[one] for one in piece) >= ROWS:
            yield piece
            piece = []
    if piece:
        yield piece


def framed(parts: Iterable[pa.Table], columns: Sequence[str], known: Known) -> pd.DataFrame:
    """Pieces as one frame; ``known``: the categories of columns that frames share, so that they can be merged."""
    words: dict[str, list[Words]] = {}
    others: dict[str, list[pd.Series]] = {}
    for part in parts:
        for name, column in zip(columns, part.unify_dictionaries().select(list(columns)).columns, strict=True):
            if pa.types.is_dictionary(column.type):
                one: Any = column.combine_chunks()
                words.setdefault(name, []).append(one)
            else:
                others.setdefault(name, []).append(column.to_pandas())
    whole: dict[str, object] = {name: pd.concat(values, ignore_index=True) for name, values in others.items()}
    whole |= {name: _coded(values, known.get(name)) for name, values in words.items()}
    return pd.DataFrame({name: whole[name] for name in columns})


def _coded(pieces: Sequence[Words], known: pd.CategoricalDtype | None) -> pd.Categorical:
    """One column's words; where not all of them are among the categories, these are its own."""
    named = [pd.Index(piece.dictionary.to_pandas()) for piece in pieces]
    places = [] if known is None else [known.categories.get_indexer(names) for names in named]
    if known is None or any((place < 0).any() for place in places):
        known = categories(names.to_series() for names in named)
        places = [known.categories.get_indexer(names) for names in named]
    codes = [_recoded(piece, place) for piece, place in zip(pieces, places, strict=True)]
    return pd.Categorical.from_codes(np.concatenate(codes), dtype=known)


def _recoded(piece: Words, places: NDArray[np.intp]) -> NDArray[np.int32]:
    """The codes of a piece, ``places`` telling where its words stand; -1: NULL."""
    both = np.append(places, -1).astype(np.int32)
    return np.asarray(both[np.asarray(piece.indices.fill_null(-1))], dtype=np.int32)


def categories(words: Iterable[pd.Series]) -> pd.CategoricalDtype:
    """All that stands in some columns, in the order of the words, which is kept by what sorts and compares."""
    seen: set[str] = set()
    for column in words:
        seen.update(column.dropna().unique())
    return pd.CategoricalDtype(pd.Index(sorted(seen), dtype="str"), ordered=True)


def values_of(wanted: Collection[object]) -> Values:
    """Values to keep, as Arrow has them."""
    return pa.array(list(wanted))


def as_words(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with its categories as plain text."""
    named = [name for name in frame.columns if isinstance(frame[name].dtype, pd.CategoricalDtype)]
    return frame.astype(dict.fromkeys(named, "str")) if named else frame
