"""Which columns name a search, which searches are repetitions of one another, and means over those."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

OF = ["task", "profile", "policy", "solver", "model"]
GROUP = [*OF, "variant"]
"""Searches that agree in these are replicates. variant: what else tells them apart; empty where nothing does."""
SEARCH = ["unit", *GROUP, "replicate"]
SAID = {"experiment", "replicates", "manager", "task.name", "task.profile", "policy.name", "solver.kind"}
"""Settings that are columns, or are no difference between searches."""
SCOPES = {"policy": ["policy"], "solver": ["solver"], "models": []}
"""Which columns agree where settings of a kind are compared; of the others, which a task brings: task and profile."""
LONGEST = 40  # letters of a value


def variants(
    units: Sequence[pd.DataFrame], played: Sequence[Mapping[str, Any]], folders: Sequence[Path]
) -> dict[str, str]:
    """What each unit's group is called beside its columns: settings that differ, such as ``audit=record``.

    Runs that share a unit play one search, whatever their folders: their units are replicates. Where two searches would
    still be one and the same, of other prompts say, the name of a run folder tells them apart. ``units``: the table of
    each run; ``played``: `pipelines.settings.Settings.played` of each, empty where it is not known.
    """
    table = members(units)
    groups = table[[*OF, "run"]].drop_duplicates().reset_index(drop=True)
    groups["said"] = differing(groups, [settings(one) for one in played])
    twice = groups.duplicated([*OF, "said"], keep=False)
    names = groups["run"].map(dict(enumerate(endings(folders))))
    groups.loc[twice, "said"] = (groups["said"] + ", " + names).str.removeprefix(", ")
    whole = table.merge(groups, on=[*OF, "run"])
    return dict(zip(whole["unit"], whole["said"], strict=True))


def members(units: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Every unit once, with the columns that name its search. run: the first run that plays that search."""
    home: dict[str, int] = {}
    for run, part in enumerate(units):
        for _, rows in part.groupby(OF, dropna=False, sort=False):
            first = min((home[unit] for unit in rows["unit"] if unit in home), default=run)
            home |= {unit: first for unit in rows["unit"] if unit not in home}
    table = pd.concat([part[["unit", *OF]] for part in units]).drop_duplicates("unit").fillna("")
    return table.assign(run=table["unit"].map(home))


def settings(played: Mapping[str, Any]) -> dict[str, str]:
    """What is played beside the columns, by dotted name; a coder where there is one."""
    flat: dict[str, Any] = {}
    for name, value in played.items():
        if name == "models":
            flat |= {f"{name}.{model}.{key}": one for model, spec in value.items() for key, one in spec.items()}
        elif isinstance(value, Mapping):
            flat |= {f"{name}.{key}": one for key, one in value.items()}
        elif name != "coder" or value is not None:
            flat[name] = value
    return {name: in_short(value) for name, value in sorted(flat.items()) if name not in SAID}


def in_short(value: object) -> str:
    """A value in a line; of a long one the beginning, and four hex digits over all of it."""
    text = value if isinstance(value, str) else json.dumps(value) if isinstance(value, dict | list) else str(value)
    line = " ".join(text.split())
    whole = hashlib.sha256(text.encode()).hexdigest()[:4]
    return line if len(line) <= LONGEST else f"{line[:LONGEST]}... {whole}"


def differing(groups: pd.DataFrame, chosen: Sequence[Mapping[str, str]]) -> list[str]:
    """For each group those of its run's settings that are not the same in all groups that have them."""
    kept = [
        {(*scope(name, row), name): one for name, one in chosen[row["run"]].items()} for _, row in groups.iterrows()
    ]
    values: dict[tuple[str, ...], set[str]] = {}
    for own in kept:
        for name, one in own.items():
            values.setdefault(name, set()).add(one)
    return [
        ", ".join(f"{override(name[-1])}={one}" for name, one in own.items() if len(values[name]) > 1) for own in kept
    ]


def scope(name: str, group: pd.Series) -> list[str]:
    """The values of the columns within which a setting is compared."""
    return [str(group[column]) for column in SCOPES.get(name.split(".")[0], ["task", "profile"])]


def override(name: str) -> str:
    """A setting's name as a label has it: policy and solver have columns of their own."""
    return name.removeprefix("policy.").removeprefix("solver.")


def endings(folders: Sequence[Path]) -> list[str]:
    """The end of each path, as short as tells different ones apart."""
    parts = [folder.parts for folder in folders]
    longest = max(map(len, parts))
    length = next(n for n in range(1, longest + 1) if len({own[-n:] for own in parts}) == len(set(parts)))
    return ["/".join(own[-length:]) for own in parts]


def mean_and_error(values: pd.Series) -> tuple[float, float, int]:
    """Mean, standard error and n of what is known; the error is NaN with fewer than two."""
    known = values.dropna().to_numpy(dtype=np.float64)
    n = len(known)
    if not n:
        return float("nan"), float("nan"), 0
    return float(known.mean()), float(known.std(ddof=1) / np.sqrt(n)) if n > 1 else float("nan"), n


def labels(groups: pd.DataFrame) -> list[str]:
    """A short name for each row of ``groups``: policy, with what is not the same in all rows."""
    names = [name for name in ("solver", "model") if groups[name].nunique() > 1]
    return [
        ", ".join(filter(None, [str(row["policy"]), *(str(row[name]) for name in names), str(row["variant"] or "")]))
        for _, row in groups.iterrows()
    ]
