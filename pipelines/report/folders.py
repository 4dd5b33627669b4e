"""What reports of games and of searches share in reading: folders and files are checked, each unit is taken once."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from actors.errors import BadInput
from pipelines.table import is_complete, schema

PROGRESS = {"ok": 0, "error": 1, "pending": 2}
EXAMPLE = "such as outputs/game-1a2b3c4d"
REMEDY = "write the tables again with the command that made the run"


def distinct(run_dirs: Sequence[Path]) -> tuple[Path, ...]:
    """The folders, each once; BadInput without one, or where one has no tables."""
    dirs = tuple(dict.fromkeys(Path(path) for path in run_dirs))
    if not dirs:
        raise BadInput(f"no run folder given; name at least one, {EXAMPLE}")
    for path in dirs:
        if not path.is_dir():
            raise BadInput(f"{path}: no such folder; give a run folder {EXAMPLE}")
        if not (path / "tables").is_dir():
            raise BadInput(f"{path}: not a run folder, it has no tables/; give a folder that 'heuresis run' wrote")
    return dirs


def is_search(path: Path) -> bool:
    """Whether a run's tables are those of searches."""
    return file_of(path, "searches").is_file() and not file_of(path, "turns").is_file()


def of_searches(dirs: Sequence[Path]) -> bool:
    """Whether all are runs of searches; BadInput where some are and others are runs of games."""
    searches = [path for path in dirs if is_search(path)]
    games = [path for path in dirs if path not in searches]
    if searches and games:
        raise BadInput(f"{searches[0]} is an idea search and {games[0]} holds games; report them apart")
    return bool(searches)


def file_of(path: Path, table: str) -> Path:
    """Where a run's table lies."""
    return path / "tables" / f"{table}.parquet"


def check_tables(path: Path, tables: Iterable[str]) -> None:
    """BadInput where a table is missing, is not as docs/tables.md has it, or a run goes on."""
    for table in tables:
        _check_table(file_of(path, table), table)


def _check_table(file: Path, table: str) -> None:
    if not file.is_file():
        raise BadInput(f"{file}: is missing; {REMEDY}")
    try:
        found = pq.read_schema(file)
    except (pa.ArrowInvalid, OSError) as error:
        raise BadInput(f"{file}: cannot be read as Parquet ({str(error).splitlines()[0]}); {REMEDY}") from None
    wanted = schema(table)
    lacking = [name for name in wanted.names if name not in found.names]
    extra = [name for name in found.names if name not in wanted.names]
    if lacking or extra:
        parts = [f"lacks {', '.join(lacking)}"] if lacking else []
        parts += [f"has unknown {', '.join(extra)}"] if extra else []
        raise BadInput(f"{file}: columns are not those of docs/tables.md: {'; '.join(parts)}; {REMEDY}")
    for name in wanted.names:
        if found.field(name).type != wanted.field(name).type:
            types = f"{found.field(name).type}, not {wanted.field(name).type}"
            raise BadInput(f"{file}: column {name} is {types}; {REMEDY}")
    if table == "units" and not is_complete(found):
        raise BadInput(
            f"{file.parent}: not complete yet, the run goes on or was interrupted; the command that made the run "
            "completes them"
        )


def owner_of(units: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Columns unit, run: each unit belongs to the run where it got furthest, the first of equals."""
    named = pd.concat([part[["unit", "status"]].assign(run=run) for run, part in enumerate(units)])
    named = named.assign(rank=named["status"].map(PROGRESS)).sort_values(["rank", "run"], kind="stable")
    return named.drop_duplicates("unit")[["unit", "run"]].reset_index(drop=True)


def own(parts: Sequence[pd.DataFrame], owner: pd.DataFrame) -> pd.DataFrame:
    """``parts``, one a run, as one frame in which each unit's rows come from the run that owns it."""
    if len(parts) == 1:
        return parts[0]
    run_of = owner.set_index("unit")["run"]
    kept = [part.loc[part["unit"].map(run_of) == run] for run, part in enumerate(parts)]
    return pd.concat([part for part in kept if len(part)] or kept[:1], ignore_index=True)


def files_of(dirs: Sequence[Path]) -> dict[str, str]:
    """config.yaml and manifest.json as text, by path; for display alone."""
    paths = [path / name for path in dirs for name in ("config.yaml", "manifest.json")]
    return {str(path): path.read_text(encoding="utf-8", errors="replace") for path in paths if path.is_file()}
