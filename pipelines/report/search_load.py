"""Reads one or more run folders of searches as if they were one run; code is read on request."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.compute as pc
import pyarrow.parquet as pq
import yaml

from actors.errors import BadInput
from pipelines.analysis.search_keys import variants
from pipelines.report.folders import check_tables, distinct, file_of, files_of, own, owner_of
from pipelines.settings import ELSEWHERE
from pipelines.table import OF_SEARCHES
from pipelines.work import read_settings

READ = tuple(name for name in OF_SEARCHES if name not in ("limits", "solutions"))


@dataclass(frozen=True)
class Searches:
    """The tables of some runs, each search once: from the run where it got furthest, the first of equals.

    tables: all but limits and solutions, of searches that are finished; each has a column ``variant`` besides. units:
    with those that are not.
    """

    dirs: tuple[Path, ...]
    units: pd.DataFrame
    tables: Mapping[str, pd.DataFrame]
    owner: pd.DataFrame
    files: Mapping[str, str] = field(default_factory=dict)

    def code(self, unit: str, solutions: Iterable[str]) -> dict[str, dict[str, object]]:
        """The files of some solutions by hash, as `pipelines.search_story.diff` takes them."""
        run = int(self.owner.loc[self.owner["unit"] == unit, "run"].iloc[0])
        wanted = (pc.field("unit") == unit) & pc.field("solution").isin(sorted(set(solutions)))
        found = pq.read_table(file_of(self.dirs[run], "solutions"), filters=wanted).to_pylist()
        code: dict[str, dict[str, object]] = {}
        for row in found:
            content = row["content"] if row["encoding"] == "text" else {"base64": row["content"]}
            code.setdefault(row["solution"], {})[row["file"]] = content
        return code


def load_searches(run_dirs: Sequence[Path]) -> Searches:
    """The runs' tables; BadInput names the first folder or file that is not what it should be."""
    dirs = distinct(run_dirs)
    for path in dirs:
        check_tables(path, OF_SEARCHES)
    parts = {name: [pq.read_table(file_of(path, name)).to_pandas() for path in dirs] for name in READ}
    owner = owner_of(parts["units"])
    units = own(parts["units"], owner)
    finished = set(own(parts["searches"], owner)["unit"])
    if not finished:
        listed = ", ".join(map(str, dirs[:3]))
        raise BadInput(f"{listed}: no search is finished yet; the command that made the run goes on with it")
    names = variants(parts["units"], [played(path) for path in dirs], [path.resolve() for path in dirs])
    tables = {}
    for name in READ:
        whole = own(parts[name], owner)
        tables[name] = whole.loc[whole["unit"].isin(finished)].reset_index(drop=True)
        tables[name].insert(len(tables[name].columns), "variant", tables[name]["unit"].map(names).astype("object"))
    return Searches(dirs, units.assign(variant=units["unit"].map(names)), tables, owner, files_of(dirs))


def played(path: Path) -> Mapping[str, Any]:
    """What a run plays; of a config.yaml of another version what stands there, and nothing of none."""
    try:
        return read_settings(path).played()
    except BadInput:
        pass
    try:
        found = yaml.safe_load((path / "config.yaml").read_text())
    except (OSError, ValueError, yaml.YAMLError):
        return {}
    return {name: one for name, one in found.items() if name not in ELSEWHERE} if isinstance(found, dict) else {}
