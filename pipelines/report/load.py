"""Reads one or more run folders as if they were one run: only the columns that are needed, long texts on request."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from actors.dialogue import Flag
from actors.errors import BadInput
from pipelines.analysis.cost import joined, tally
from pipelines.analysis.order import GAME
from pipelines.analysis.scores import panel_of
from pipelines.game_settings import GameSettings
from pipelines.report.folders import check_tables, distinct, file_of, files_of, is_search, owner_of
from pipelines.report.rows import Kept, Known, as_words, categories, framed, pieces, values_of
from pipelines.table import OF_GAMES, schema
from pipelines.work import read_settings

KEYS = ("unit", *(name for name in GAME if name != "game"))
READ = {
    "cards": (*KEYS, "t", "confidence"),
    "ratings": (*KEYS, "game", "t", "judge", "score"),
    "turns": ("unit", "model", "condition", "answer", *(str(flag) for flag in Flag), "samples"),
}
TALLIED = (
    *("seat", "caller", "prompt_tokens", "completion_tokens", "cached_tokens", "cost", "tries", "lost", "error_kind"),
)
IDS, NAMES = ("unit", "game", "source"), ("reader", "judge", "annotator", "answerer")


@dataclass(frozen=True)
class Runs:
    """The tables of some runs, each unit once: from the run where it got furthest, the first of equals.

    Ids and names are ordered categories (report/rows.py), those of one kind the same in all frames.
    """

    dirs: tuple[Path, ...]
    units: pd.DataFrame
    cards: pd.DataFrame
    ratings: pd.DataFrame
    turns: pd.DataFrame
    calls: pd.DataFrame
    """One row per caller and seat, by `pipelines.analysis.cost.tally`: there are too many calls to hold."""
    panel: pd.DataFrame
    """Columns game, judge: who should rate each game."""
    owner: pd.DataFrame
    """Columns unit, run: which of ``dirs`` each unit is read from."""
    known: Known
    """The categories that frames share."""
    files: dict[str, str] = field(default_factory=dict)
    """config.yaml and manifest.json as text, by path; for display alone."""
    own_family: Mapping[str, Collection[str]] = field(default_factory=dict)
    left_out: Mapping[str, str] = field(default_factory=dict)
    """Which judges are related to whom, as the runs' settings say."""
    unread: tuple[str, ...] = ()
    """Settings that cannot be read."""

    def frame(
        self, table: str, columns: Sequence[str] | None = None, where: tuple[str, Collection[str]] | None = None
    ) -> pd.DataFrame:
        """A table that is read when it is asked for; ``where``: only rows with one of these values in that column."""
        wanted = schema(table).names if columns is None else list(dict.fromkeys(["unit", *columns]))
        kept = {} if where is None else {where[0]: values_of(where[1])}
        return read(self.dirs, self.owner, table, wanted, kept, self.known)

    def whole(self, table: str, games: Sequence[str]) -> pd.DataFrame:
        """All columns of ``table`` (turns, cards or ratings) for a few ``games``, as text, in the order of t."""
        key = "game" if table == "ratings" else "unit"
        return as_words(self.frame(table, where=(key, games))).sort_values("t", kind="stable").reset_index(drop=True)


def read(
    dirs: Sequence[Path], owner: pd.DataFrame, table: str, columns: Sequence[str], kept: Kept, known: Known
) -> pd.DataFrame:
    """Columns of a table of all runs, each unit's rows from the run that owns it."""
    parts = (part for parts in parts_of(dirs, owner, table, columns, kept) for part in parts)
    return frame_of(table, columns, parts, known)


def frame_of(table: str, columns: Sequence[str], parts: Iterator[pa.Table], known: Known) -> pd.DataFrame:
    """Pieces as one frame, an empty one where there is none."""
    rows = [part for part in parts if part.num_rows]
    return framed(rows, columns, known) if rows else schema(table).empty_table().select(list(columns)).to_pandas()


def parts_of(
    dirs: Sequence[Path], owner: pd.DataFrame, table: str, columns: Sequence[str], kept: Kept
) -> Iterator[Iterator[pa.Table]]:
    """For each run the pieces of a table that it owns."""
    for run, path in enumerate(dirs):
        both = dict(kept)
        if len(dirs) > 1:
            own = pa.array(owner.loc[owner["run"] == run, "unit"], pa.string())
            wanted = pc.is_in(own, value_set=kept["unit"].cast(own.type)) if "unit" in kept else None
            both["unit"] = own if wanted is None else own.filter(wanted)
        if all(len(values) > 0 for values in both.values()):
            yield pieces(file_of(path, table), columns, both)


def load(run_dirs: Sequence[Path]) -> Runs:
    """The runs' tables; BadInput names the first folder or file that is not what it should be."""
    dirs = distinct(run_dirs)
    for path in dirs:
        if is_search(path):
            raise BadInput(f"{path}: has no games; it is an idea search, see heuresis status {path}")
        check_tables(path, OF_GAMES)
    names = schema("units").names
    listed = [frame_of("units", names, pieces(file_of(path, "units"), names, {}), {}) for path in dirs]
    known = kinds(listed)
    owner = owner_of([as_words(one[["unit", "status"]]) for one in listed])
    settings, unread = settings_of(dirs)
    return Runs(
        dirs=dirs,
        units=read(dirs, owner, "units", names, {}, known),
        panel=panel(dirs, known),
        owner=owner,
        known=known,
        calls=tallied(dirs, owner),
        files=files_of(dirs),
        own_family={judge: names for one in settings for judge, names in one.own_family.items()},
        left_out={name: judge for one in settings for name, judge in one.left_out.items()},
        unread=unread,
        **{name: read(dirs, owner, name, columns, {}, known) for name, columns in READ.items()},
    )


def kinds(listed: Sequence[pd.DataFrame]) -> dict[str, pd.CategoricalDtype]:
    """Of each run's units the categories that all frames share: ids, papers, models, surveys and readers."""
    groups = (("unit", "source"), ("paper",), ("model",), ("condition",), ("reader",))
    found = [categories(one[name] for one in listed for name in group) for group in groups]
    ids, paper, model, condition, reader = found
    return {
        **dict.fromkeys(IDS, ids),
        **dict.fromkeys(NAMES, reader),
        "paper": paper,
        "model": model,
        "condition": condition,
    }


def panel(dirs: Sequence[Path], known: Known) -> pd.DataFrame:
    """Who should rate each game, run by run: also of units that another run owns."""
    units, ratings = ("kind", "game", "reader"), ("game", "judge")
    parts = []
    for path in dirs:
        listed = frame_of("units", units, pieces(file_of(path, "units"), units, {}), known)
        rated = frame_of("ratings", ratings, pieces(file_of(path, "ratings"), ratings, {}), known)
        parts.append(as_words(panel_of(listed, rated.drop_duplicates())))
    found = pd.concat(parts).drop_duplicates().reset_index(drop=True)
    return found.astype({"game": known["game"]}) if found["game"].isin(known["game"].categories).all() else found


def tallied(dirs: Sequence[Path], owner: pd.DataFrame) -> pd.DataFrame:
    """All calls, counted and summed piece by piece."""
    parts = parts_of(dirs, owner, "calls", TALLIED, {})
    empty = frame_of("calls", TALLIED, iter(()), {})
    tallies = [tally(frame_of("calls", TALLIED, iter([part]), {})) for pieces in parts for part in pieces]
    return joined(tallies or [tally(empty)])


def settings_of(dirs: Sequence[Path]) -> tuple[list[GameSettings], tuple[str, ...]]:
    """The runs' settings, and the files that hold none: tables are enough for all but the judges' families."""
    found, unread = [], []
    for path in dirs:
        try:
            settings = read_settings(path)
        except BadInput:
            unread.append(str(path / "config.yaml"))
            continue
        if isinstance(settings, GameSettings):
            found.append(settings)
    return found, tuple(unread)
