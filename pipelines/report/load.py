"""Reads one or more run folders as if they were one run: only the columns that are needed, long texts on request."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd
import pyarrow.compute as pc
import pyarrow.parquet as pq

from actors.dialogue import Flag
from actors.errors import BadInput
from pipelines.analysis.order import GAME
from pipelines.analysis.scores import panel_of
from pipelines.game_settings import GameSettings
from pipelines.report.folders import check_tables, distinct, file_of, files_of, is_search, own, owner_of
from pipelines.table import OF_GAMES, TABLES, schema
from pipelines.work import read_settings

KEYS = ("unit", *(name for name in GAME if name != "game"))
READ = {
    "units": tuple(column.name for column in TABLES["units"][1]),
    "cards": (*KEYS, "t", "confidence"),
    "ratings": (*KEYS, "game", "t", "judge", "score"),
    "turns": ("unit", "model", "condition", "answer", *(str(flag) for flag in Flag), "samples"),
    "calls": (
        *("unit", "seat", "caller", "prompt_tokens", "completion_tokens", "cached_tokens", "cost", "tries", "lost"),
        "error_kind",
    ),
}
FEW = ("seat", "caller", "error_kind", "model", "condition", "answer")  # few values, many rows: read as categories


@dataclass(frozen=True)
class Runs:
    """The tables of some runs, each unit once: from the run where it got furthest, the first of equals."""

    dirs: tuple[Path, ...]
    units: pd.DataFrame
    cards: pd.DataFrame
    ratings: pd.DataFrame
    turns: pd.DataFrame
    calls: pd.DataFrame
    panel: pd.DataFrame
    """Columns game, judge: who should rate each game."""
    owner: pd.DataFrame
    """Columns unit, run: which of ``dirs`` each unit is read from."""
    files: dict[str, str] = field(default_factory=dict)
    own_family: Mapping[str, Collection[str]] = field(default_factory=dict)
    left_out: Mapping[str, str] = field(default_factory=dict)
    """Which judges are related to whom, as the runs' settings say."""
    unread: tuple[str, ...] = ()
    """Settings that cannot be read."""
    """config.yaml and manifest.json as text, by path; for display alone."""

    def frame(
        self, table: str, columns: Sequence[str] | None = None, where: tuple[str, Collection[str]] | None = None
    ) -> pd.DataFrame:
        """A table that is read when it is asked for; ``where``: only rows with one of these values in that column."""
        wanted = None if columns is None else list(dict.fromkeys(["unit", *columns]))
        if where is not None and not where[1]:
            return schema(table).empty_table().to_pandas()
        filters = None if where is None else pc.field(where[0]).isin(list(where[1]))
        parts = [pq.read_table(file_of(path, table), columns=wanted, filters=filters).to_pandas() for path in self.dirs]
        return own(parts, self.owner)

    def whole(self, table: str, games: Sequence[str]) -> pd.DataFrame:
        """All columns of ``table`` (turns, cards or ratings) for a few ``games``, in the order of t."""
        key = "game" if table == "ratings" else "unit"
        parts = [
            pq.read_table(file_of(path, table), filters=[(key, "in", list(games))]).to_pandas()
            for path in self.dirs
            if games
        ]
        if not parts:
            return schema(table).empty_table().to_pandas()
        return own(parts, self.owner).sort_values("t", kind="stable").reset_index(drop=True)


def load(run_dirs: Sequence[Path]) -> Runs:
    """The runs' tables; BadInput names the first folder or file that is not what it should be."""
    dirs = distinct(run_dirs)
    for path in dirs:
        if is_search(path):
            raise BadInput(f"{path}: has no games; it is an idea search, see heuresis status {path}")
        check_tables(path, OF_GAMES)
    units = [_read(path, "units") for path in dirs]
    ratings = [_read(path, "ratings") for path in dirs]
    owner = owner_of(units)
    settings, unread = settings_of(dirs)
    panels = [panel_of(*pair) for pair in zip(units, ratings, strict=True)]
    return Runs(
        dirs=dirs,
        units=own(units, owner),
        ratings=own(ratings, owner),
        panel=pd.concat(panels).drop_duplicates().reset_index(drop=True),
        owner=owner,
        files=files_of(dirs),
        own_family={judge: names for one in settings for judge, names in one.own_family.items()},
        left_out={name: judge for one in settings for name, judge in one.left_out.items()},
        unread=unread,
        **{name: own([_read(path, name) for path in dirs], owner) for name in ("cards", "turns", "calls")},
    )


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


def _read(path: Path, table: str) -> pd.DataFrame:
    columns = list(READ[table])
    few = [name for name in columns if name in FEW] if table in ("turns", "calls") else None
    return pq.read_table(file_of(path, table), columns=columns, read_dictionary=few).to_pandas()
