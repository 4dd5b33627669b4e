"""Which columns name a search, which searches are repetitions of one another, and means over those."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import yaml

OF = ["task", "profile", "policy", "solver", "model"]
GROUP = [*OF, "variant"]
"""Searches that agree in these are replicates. variant: what else tells them apart; empty where nothing does."""
SEARCH = ["unit", *GROUP, "replicate"]
CHOICES = ("policy", "solver")


def variants(
    units: pd.DataFrame, owner: pd.DataFrame, configs: Sequence[str], folders: Sequence[str]
) -> dict[str, str]:
    """What each unit's group is called beside its columns.

    Where runs of one policy have other settings of policy or solver, these, such as ``organize=False``; where two units
    would still be one and the same, the name of the run folder. ``configs``: the runs' config.yaml as text.
    """
    run_of = owner.set_index("unit")["run"]
    table = units[["unit", *OF, "replicate"]].assign(run=units["unit"].map(run_of))
    chosen = [settings(text) for text in configs]
    table["said"] = ""
    for _, rows in table.groupby(["policy", "solver"], dropna=False):
        said = differing({run: chosen[run] for run in rows["run"].unique()})
        table.loc[rows.index, "said"] = rows["run"].map(said)
    twice = table.duplicated([*OF, "said", "replicate"], keep=False)
    doubled = table.loc[twice, ["policy", "solver", "said"]].drop_duplicates().itertuples(index=False)
    for policy, solver, said in doubled:
        where = (table["policy"] == policy) & (table["solver"] == solver) & (table["said"] == said)
        names = table.loc[where, "run"].map(lambda run: folders[run])
        table.loc[where, "said"] = [", ".join(filter(None, (said, name))) for name in names]
    return dict(zip(table["unit"], table["said"], strict=True))


def settings(text: str) -> dict[str, str]:
    """The settings of policy and solver in a config.yaml, by dotted name; none where it is not one."""
    try:
        whole = yaml.safe_load(text)
    except yaml.YAMLError:
        return {}
    if not isinstance(whole, Mapping):
        return {}
    parts: dict[str, Any] = {name: whole.get(name) for name in CHOICES}
    return {
        f"{name}.{key}": str(value)
        for name, part in parts.items()
        if isinstance(part, Mapping)
        for key, value in part.items()
    }


def differing(chosen: Mapping[int, Mapping[str, str]]) -> dict[int, str]:
    """For each run the settings that are not the same in all of them."""
    names = sorted({name for one in chosen.values() for name in one})
    told = [name for name in names if len({one.get(name) for one in chosen.values()}) > 1]
    return {
        run: ", ".join(f"{name.split('.', 1)[1]}={one[name]}" for name in told if name in one)
        for run, one in chosen.items()
    }


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
