"""Writes a file under a temporary name, then renames it: a reader never meets half of one."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pandas as pd

from actors.errors import BadInput


@contextmanager
def finished(path: Path) -> Iterator[Path]:
    """A temporary path beside ``path`` that becomes ``path`` if the block ends well, and goes away if it does not."""
    temporary = path.with_name(f".{path.stem}.{os.getpid()}{path.suffix}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield temporary
        temporary.replace(path)
    except OSError as error:
        raise BadInput(f"{path}: cannot be written ({error.strerror}); give another folder with --out") from None
    finally:
        if temporary.exists():
            temporary.unlink()


def write_table(frame: pd.DataFrame, folder: Path, name: str) -> tuple[Path, Path]:
    """``name``.csv and ``name``.parquet in ``folder``."""
    csv, parquet = folder / f"{name}.csv", folder / f"{name}.parquet"
    with finished(csv) as path:
        frame.to_csv(path, index=False)
    with finished(parquet) as path:
        frame.to_parquet(path, index=False)
    return csv, parquet
