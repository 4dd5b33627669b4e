"""Sheets that people fill in: CSV files with a row an item and a column an annotator, and the keys to them.

A sheet goes out with empty columns for the annotators and comes back filled, from one file or from one for each of
them. What an item is stands in its key, which annotators do not get. This does not guard against labels in the wrong
row: a sheet may be sorted, but its ids must stay with their labels.
"""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from actors.errors import BadInput
from actors.row import Row, parse

Kind = Literal["answers", "pairs"]
FORMULA = ("=", "+", "-", "@", "\t", "\r")
CARD = ("contribution", "approach", "components", "novelty")
PROBLEM = ("domain", "goal", "challenge", "gap")
CARDS = tuple(f"{side} {name}" for side in "AB" for name in CARD)


class QuestionKey(Row):
    """Which stored question an item is."""

    item: str = Field(min_length=1)
    game: str
    t: int
    paper: str


class PairKey(Row):
    """Which stored cards a pair shows as A and as B."""

    pair: str = Field(min_length=1)
    paper: str
    game_a: str
    t_a: int
    game_b: str
    t_b: int


@dataclass(frozen=True)
class Sheet:
    """One kind of sheet: ``shown`` are the columns that annotators read, ``values`` what they may say."""

    kind: Kind
    item: str
    shown: tuple[str, ...]
    label: str
    values: tuple[str, ...]
    key: type[QuestionKey] | type[PairKey]

    @property
    def columns(self) -> tuple[str, ...]:
        """All but the annotators' own."""
        return (self.item, *self.shown)


SHEETS: Mapping[Kind, Sheet] = {
    "answers": Sheet(
        kind="answers",
        item="item",
        shown=("paper", "source", "evidence", *PROBLEM, "question"),
        label="label",
        values=("YES", "NO", "UNKNOWN"),
        key=QuestionKey,
    ),
    "pairs": Sheet(
        kind="pairs",
        item="pair",
        shown=("paper", *PROBLEM, *(f"solution {name}" for name in CARD), *CARDS),
        label="choice",
        values=("A", "B", "tie"),
        key=PairKey,
    ),
}


@dataclass(frozen=True)
class Labels:
    """What was read: (item, annotator) -> label, and how many cells were empty."""

    given: Mapping[tuple[str, str], str]
    empty: int


def sheet_text(sheet: Sheet, rows: Sequence[Mapping[str, str]], annotators: Sequence[str]) -> str:
    """A sheet with empty columns for ``annotators``; no cell is a formula to a spreadsheet. BadInput for bad names."""
    check_names(sheet, annotators, "annotators")
    empty = [""] * len(annotators)
    cells = [[row[sheet.item], *(harmless(row[name]) for name in sheet.shown), *empty] for row in rows]
    return as_csv([[*sheet.columns, *annotators], *cells])


def harmless(text: str) -> str:
    """A cell that no spreadsheet takes for a formula: models wrote some of them."""
    return f"'{text}" if text.startswith(FORMULA) else text


def as_csv(rows: Sequence[Sequence[object]]) -> str:
    """Rows as CSV, lines ended as spreadsheets do."""
    written = io.StringIO()
    csv.writer(written).writerows(rows)
    return written.getvalue()


def check_names(sheet: Sheet, annotators: Sequence[str], where: str) -> None:
    """BadInput where annotators have no names, one that a column has, or share one."""
    if not annotators:
        more = f"{', '.join(sheet.columns)} and a column for each annotator"
        raise BadInput(f"{where}: no annotator; a sheet of {sheet.kind} has {more}")
    for place, name in enumerate(annotators):
        if not name.strip() or name.startswith(FORMULA) or name in sheet.columns or name in annotators[:place]:
            raise BadInput(f"{where}: '{name}' cannot name an annotator; give each a name of their own")


def key_text(sheet: Sheet, keys: Sequence[QuestionKey | PairKey]) -> str:
    """The key of a sheet."""
    names = list(sheet.key.model_fields)
    return as_csv([names, *([getattr(one, name) for name in names] for one in keys)])


def read_key(sheet: Sheet, path: Path) -> dict[str, dict[str, Any]]:
    """Key rows by item, as plain values; BadInput where there is no key, or one that is spoilt."""
    if not path.is_file():
        raise BadInput(f"{path}: no key; labels come back to the run whose sheet they are, see heuresis labels export")
    header, rows = table(path)
    found: dict[str, dict[str, Any]] = {}
    for number, cells in rows:
        row = parse(sheet.key, dict(zip(header, cells, strict=True)), f"{path}: row {number}").model_dump()
        found[row[sheet.item]] = row
    return found


def read_sheets(sheet: Sheet, paths: Sequence[Path], known: Mapping[str, object]) -> Labels:
    """The labels of one or more filled sheets; ``known`` has the ids of the key.

    Cells may be empty; case does not matter. BadInput names the file, the row (the header is row 1) and what is wrong:
    an unknown id, an id that stands twice, a label that is none, two files that differ, no label at all.
    """
    given: dict[tuple[str, str], str] = {}
    empty = 0
    for path in paths:
        for number, annotator, item, label in cells_of(sheet, path, known):
            if not label:
                empty += 1
            elif given.setdefault((item, annotator), label) != label:
                differ = f"{annotator} says {label}, and {given[item, annotator]} in an earlier file"
                raise BadInput(f"{path}: row {number}: {differ}; keep one")
    if not given:
        raise BadInput(f"{', '.join(map(str, paths))}: no label in it; fill in the annotators' columns")
    return Labels(given, empty)


def cells_of(sheet: Sheet, path: Path, known: Mapping[str, object]) -> Iterator[tuple[int, str, str, str]]:
    """(row, annotator, item, label) of every annotator's cell; an empty label is ''."""
    header, rows = table(path)
    if sheet.item not in header:
        raise BadInput(f"{path}: row 1: no column '{sheet.item}'; keep the first row as it was, commas between columns")
    own = [name for name in header if name not in sheet.columns]
    check_names(sheet, own, f"{path}: row 1")
    spelt = {value.casefold(): value for value in sheet.values}
    seen: dict[str, int] = {}
    for number, cells in rows:
        row = dict(zip(header, cells, strict=True))
        item, where = row[sheet.item].strip(), f"{path}: row {number}"
        if item not in known:
            raise BadInput(f"{where}: {sheet.item} '{item}' is not in the key of this run; leave the ids as they were")
        if item in seen:
            raise BadInput(f"{where}: {sheet.item} '{item}' stands in row {seen[item]} already; keep one of the two")
        seen[item] = number
        for name in own:
            said = row[name].strip()
            if said and said.casefold() not in spelt:
                raise BadInput(f"{where}: {name} says '{said}'; write {', '.join(sheet.values)}, or nothing")
            yield number, name, item, spelt.get(said.casefold(), "")


def table(path: Path) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """Header and rows of a CSV file with their numbers; rows without any text are left out."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        said = "is not UTF-8" if isinstance(error, UnicodeDecodeError) else f"cannot be read ({error.strerror})"
        raise BadInput(f"{path}: {said}; save the sheet as CSV UTF-8") from None
    read: list[list[str]] = []
    try:
        read.extend(csv.reader(io.StringIO(text, newline=""), strict=True))
    except csv.Error as error:
        raise BadInput(f"{path}: row {len(read) + 1}: is no CSV ({error}); save the sheet as CSV again") from None
    if not read:
        raise BadInput(f"{path}: is empty; its first row names the columns")
    header, *rows = read
    if twice := next((name for place, name in enumerate(header) if name in header[:place]), None):
        raise BadInput(f"{path}: row 1: column '{twice}' stands twice; keep one")
    found = [(number, cells) for number, cells in enumerate(rows, 2) if any(cell.strip() for cell in cells)]
    for number, cells in found:
        if len(cells) != len(header):
            raise BadInput(f"{path}: row {number}: has {len(cells)} cells, not {len(header)}; give each column one")
    return header, found
