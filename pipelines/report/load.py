"""Reads one or more run folders as if they were one run: only the columns that are needed, long texts on request."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from actors.dialogue import Flag
from actors.errors import BadInput
from pipelines.analysis.order import GAME
from pipelines.analysis.scores import panel_of
from pipelines.table import OF_GAMES, TABLES, is_complete, schema

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
PROGRESS = {"ok": 0, "error": 1, "pending": 2}


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
    """config.yaml and manifest.json as text, by path; for display alone."""

    def whole(self, table: str, games: Sequence[str]) -> pd.DataFrame:
        """All columns of ``table`` (turns, cards or ratings) for a few ``games``, in the order of t."""
        key = "game" if table == "ratings" else "unit"
        parts = [
            pq.read_table(_file(path, table), filters=[(key, "in", list(games))]).to_pandas()
            for path in self.dirs
            if games
        ]
        if not parts:
            return schema(table).empty_table().to_pandas()
        return _own(parts, self.owner).sort_values("t", kind="stable").reset_index(drop=True)


def load(run_dirs: Sequence[Path]) -> Runs:
    """The runs' tables; BadInput names the first folder or file that is not what it should be."""
    dirs = tuple(dict.fromkeys(Path(path) for path in run_dirs))
    if not dirs:
        raise BadInput("no run folder given; name at least one, such as outputs/game-1a2b3c4d")
    for path in dirs:
        _check(path)
    units = [_read(path, "units") for path in dirs]
    ratings = [_read(path, "ratings") for path in dirs]
    owner = _owner(units)
    panels = [panel_of(*pair) for pair in zip(units, ratings, strict=True)]
    return Runs(
        dirs=dirs,
        units=_own(units, owner),
        ratings=_own(ratings, owner),
        panel=pd.concat(panels).drop_duplicates().reset_index(drop=True),
        owner=owner,
        files=_files(dirs),
        **{name: _own([_read(path, name) for path in dirs], owner) for name in ("cards", "turns", "calls")},
    )


def _file(path: Path, table: str) -> Path:
    return path / "tables" / f"{table}.parquet"


def _check(path: Path) -> None:
    if not path.is_dir():
        raise BadInput(f"{path}: no such folder; give a run folder such as outputs/game-1a2b3c4d")
    if not (path / "tables").is_dir():
        raise BadInput(f"{path}: not a run folder, it has no tables/; give a folder that 'heuresis run' wrote")
    if _file(path, "searches").is_file() and not _file(path, "turns").is_file():
        raise BadInput(f"{path}: has no games; it is an idea search, see heuresis status {path}")
    for table in OF_GAMES:
        _check_table(_file(path, table), table)


def _check_table(file: Path, table: str) -> None:
    remedy = "write the tables again with the command that made the run"
    if not file.is_file():
        raise BadInput(f"{file}: is missing; {remedy}")
    try:
        found = pq.read_schema(file)
    except (pa.ArrowInvalid, OSError) as error:
        raise BadInput(f"{file}: cannot be read as Parquet ({str(error).splitlines()[0]}); {remedy}") from None
    wanted = schema(table)
    lacking = [name for name in wanted.names if name not in found.names]
    extra = [name for name in found.names if name not in wanted.names]
    if lacking or extra:
        parts = [f"lacks {', '.join(lacking)}"] if lacking else []
        parts += [f"has unknown {', '.join(extra)}"] if extra else []
        raise BadInput(f"{file}: columns are not those of docs/tables.md: {'; '.join(parts)}; {remedy}")
    for name in wanted.names:
        if found.field(name).type != wanted.field(name).type:
            types = f"{found.field(name).type}, not {wanted.field(name).type}"
            raise BadInput(f"{file}: column {name} is {types}; {remedy}")
    if table == "units" and not is_complete(found):
        raise BadInput(
            f"{file.parent}: not complete yet, the run goes on or was interrupted; the command that made the run "
            "completes them"
        )


def _read(path: Path, table: str) -> pd.DataFrame:
    columns = list(READ[table])
    few = [name for name in columns if name in FEW] if table in ("turns", "calls") else None
    return pq.read_table(_file(path, table), columns=columns, read_dictionary=few).to_pandas()


def _owner(units: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Columns unit, run."""
    named = pd.concat([part[["unit", "status"]].assign(run=run) for run, part in enumerate(units)])
    named = named.assign(rank=named["status"].map(PROGRESS)).sort_values(["rank", "run"], kind="stable")
    return named.drop_duplicates("unit")[["unit", "run"]].reset_index(drop=True)


def _own(parts: Sequence[pd.DataFrame], owner: pd.DataFrame) -> pd.DataFrame:
    """``parts``, one a run, as one frame in which each unit's rows come from the run that owns it."""
    if len(parts) == 1:
        return parts[0]
    run_of = owner.set_index("unit")["run"]
    kept = [part.loc[part["unit"].map(run_of) == run] for run, part in enumerate(parts)]
    return pd.concat([part for part in kept if len(part)] or kept[:1], ignore_index=True)


def _files(dirs: Sequence[Path]) -> dict[str, str]:
    paths = [path / name for path in dirs for name in ("config.yaml", "manifest.json")]
    return {str(path): path.read_text(encoding="utf-8", errors="replace") for path in paths if path.is_file()}
