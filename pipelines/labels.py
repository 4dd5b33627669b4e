"""``heuresis labels``: questions and cards of a run out to people as CSV, and their labels back in (docs/labels.md).

<run>/labels/answers.key.csv, pairs.key.csv    what the items of all sheets of this run are; not for annotators
<run>/labels/answers.csv, pairs.csv            the sheets, if no --out says otherwise
<run>/labels/answers.parquet, pairs.parquet    the imported labels, one row an item and annotator
"""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from actors.errors import BadInput

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from pipelines.label_sheets import Kind, Sheet

ANNOTATORS = ("annotator_1", "annotator_2", "annotator_3")
COUNTS = {"answers": 795, "pairs": 498}  # as many as the paper has
EXIT_CODES = "exit codes: 0 done, 2 bad input"


@dataclass(frozen=True)
class Exported:
    """A sheet that was written, its key, and how many items it has."""

    sheet: Path
    key: Path
    items: int


@dataclass(frozen=True)
class Imported:
    """Labels that are kept: of how many items and annotators, and how many cells were empty."""

    table: Path
    labels: int
    items: int
    annotators: int
    empty: int


def add_label_words(labels: argparse.ArgumentParser) -> None:
    """The subcommands of ``heuresis labels``."""
    actions = labels.add_subparsers(title="actions", required=True, metavar="ACTION")
    out = "A sheet of a run's questions (answers) or of pairs of its final cards (pairs), for people to fill in."
    exported = actions.add_parser("export", help=out, description=out, epilog=EXIT_CODES)
    exported.set_defaults(command=export_command)
    back = "Take filled sheets in; all that were filled so far, as they replace what was taken in before."
    imported = actions.add_parser("import", help=back, description=back, epilog=EXIT_CODES)
    imported.set_defaults(command=import_command)
    for action in (exported, imported):
        action.add_argument("kind", choices=sorted(COUNTS))
        action.add_argument("run_dir", type=Path)
        action.add_argument("--json", action="store_true", help="for scripts")
    exported.add_argument("--count", type=int, help="how many items (default: 795 answers, 498 pairs)")
    exported.add_argument("--seed", type=int, default=0, help="seed of the sample and of what is A (default 0)")
    exported.add_argument("--annotators", nargs="+", default=ANNOTATORS, metavar="NAME", help="a column for each")
    exported.add_argument("--out", type=Path, help="the sheet (default: labels/KIND.csv in the run folder)")
    imported.add_argument("sheet", nargs="+", type=Path, help="filled sheets, one or one for each annotator")


def export_command(given: argparse.Namespace) -> int:
    """``heuresis labels export``."""
    export = export_answers if given.kind == "answers" else export_pairs
    count = COUNTS[given.kind] if given.count is None else given.count
    made = export(given.run_dir, given.out, count, given.annotators, given.seed)
    if given.json:
        found = {"sheet": str(made.sheet), "key": str(made.key), "items": made.items}
        sys.stdout.write(json.dumps(found, indent=1) + "\n")
        return 0
    few = f" (all there are; {count:,} were asked for)" if made.items < count else ""
    sys.stdout.write(f"{made.sheet}: {made.items:,} {given.kind}{few}; keep {made.key} from the annotators\n")
    return 0


def import_command(given: argparse.Namespace) -> int:
    """``heuresis labels import``."""
    made = (import_answers if given.kind == "answers" else import_pairs)(given.run_dir, given.sheet)
    if given.json:
        found = {"table": str(made.table), **{name: getattr(made, name) for name in ("labels", "items", "annotators")}}
        sys.stdout.write(json.dumps({**found, "empty": made.empty}, indent=1) + "\n")
        return 0
    labelled = f"{made.labels:,} labels of {made.items:,} items by {made.annotators} annotators"
    sys.stdout.write(f"{made.table}: {labelled}, {made.empty:,} cells empty\n")
    return 0


def export_answers(run: Path, out: Path | None, count: int, annotators: Sequence[str], seed: int) -> Exported:
    """A sheet of ``count`` stored questions."""
    return _export("answers", run, out, count, annotators, seed)


def export_pairs(run: Path, out: Path | None, count: int, annotators: Sequence[str], seed: int) -> Exported:
    """A sheet of ``count`` pairs of final cards."""
    return _export("pairs", run, out, count, annotators, seed)


def import_answers(run: Path, sheets: Sequence[Path]) -> Imported:
    """People's answers to stored questions; BadInput names the row that is wrong, and nothing is kept."""
    return _import("answers", run, sheets)


def import_pairs(run: Path, sheets: Sequence[Path]) -> Imported:
    """People's choices between cards; BadInput names the row that is wrong, and nothing is kept."""
    return _import("pairs", run, sheets)


def read_labels(run: Path, kind: "Kind") -> "pd.DataFrame":
    """What was imported into a run, one row an item and annotator; no rows where nothing was.

    answers: item, game, t, paper, annotator, label. pairs: pair, paper, game_a, t_a, game_b, t_b, annotator, choice.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    from pipelines.label_sheets import SHEETS

    path, wanted = folder(run) / f"{kind}.parquet", schema(SHEETS[kind])
    if not path.is_file():
        return wanted.empty_table().to_pandas()
    try:
        found = pq.read_table(path)
    except (pa.ArrowInvalid, OSError):
        raise BadInput(f"{path}: cannot be read as Parquet; import the sheets again") from None
    if not found.schema.equals(wanted):
        raise BadInput(f"{path}: columns are not those of docs/labels.md; import the sheets again")
    return found.to_pandas()


def folder(run: Path) -> Path:
    """Where a run's sheets, keys and labels are."""
    return run / "labels"


def key_of(run: Path, kind: "Kind") -> Path:
    """The key to the sheets of a kind."""
    return folder(run) / f"{kind}.key.csv"


def schema(sheet: "Sheet") -> "pa.Schema":
    """The columns of imported labels: the key's, annotator, label."""
    import pyarrow as pa

    key = [
        pa.field(name, pa.int64()) if field.annotation is int else pa.field(name, pa.string())
        for name, field in sheet.key.model_fields.items()
    ]
    return pa.schema([*key, pa.field("annotator", pa.string()), pa.field(sheet.label, pa.string())])


def _export(kind: "Kind", run: Path, out: Path | None, count: int, annotators: Sequence[str], seed: int) -> Exported:
    from pipelines.label_samples import sample_pairs, sample_questions
    from pipelines.label_sheets import SHEETS, key_text, read_key, sheet_text

    if count < 1:
        raise BadInput(f"--count {count}: must be at least 1")
    if seed < 0:
        raise BadInput(f"--seed {seed}: must be at least 0")
    sheet, path, key = SHEETS[kind], out or folder(run) / f"{kind}.csv", key_of(run, kind)
    if path.exists():
        raise BadInput(f"{path}: is there already, and may hold labels; move it away or name another --out")
    keys, rows = sample_questions(run, count, seed) if kind == "answers" else sample_pairs(run, count, seed)
    if not rows:
        raise BadInput(f"{run}: has no {kind} to label; a pair needs two finished games of one paper")
    text = sheet_text(sheet, rows, annotators)
    before = read_key(sheet, key) if key.exists() else {}
    known = {**before, **{getattr(one, sheet.item): one.model_dump() for one in keys}}
    try:
        folder(run).mkdir(exist_ok=True)
        path.parent.mkdir(parents=True, exist_ok=True)
        _replace(key, key_text(sheet, [sheet.key(**one) for one in known.values()]).encode())
        _replace(path, text.encode("utf-8-sig"))  # with the mark by which spreadsheets know UTF-8
    except OSError as error:
        raise BadInput(f"{error.filename or path}: cannot be written ({error.strerror}); name another --out") from None
    return Exported(path, key, len(rows))


def _import(kind: "Kind", run: Path, sheets: Sequence[Path]) -> Imported:
    import pyarrow as pa
    import pyarrow.parquet as pq

    from pipelines.label_sheets import SHEETS, read_key, read_sheets

    sheet, path = SHEETS[kind], folder(run) / f"{kind}.parquet"
    known = read_key(sheet, key_of(run, kind))
    found = read_sheets(sheet, sheets, known)
    rows = [
        {**known[item], "annotator": annotator, sheet.label: label}
        for (item, annotator), label in sorted(found.given.items())
    ]
    written = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_pylist(rows, schema=schema(sheet)), written)
    try:
        _replace(path, written.getvalue().to_pybytes())
    except OSError as error:
        raise BadInput(f"{path}: cannot be written ({error.strerror}); make room for it in the run's folder") from None
    items, annotators = (len({key[place] for key in found.given}) for place in (0, 1))
    return Imported(path, len(rows), items, annotators, found.empty)


def _replace(path: Path, content: bytes) -> None:
    aside = path.with_name(f".{path.name}.{os.getpid()}")
    aside.write_bytes(content)
    aside.replace(path)
