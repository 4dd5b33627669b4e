"""What a command's drivers have spent, from what their desks left in the store.

A command is known by the runs that it plays: a run, or all runs of a sweep. Each driver's desk keeps ``account.json``
in the driver's folder; where a driver was killed, the truth is in its journal.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from actors.budget import PICO, Account, Earlier
from actors.errors import BadInput
from actors.journal import read
from pipelines.plan import Work
from pipelines.store import JOURNAL, Store

ACCOUNT = "account.json"


def command(works: Iterable[Work]) -> tuple[str, ...]:
    """The runs that a command plays."""
    return tuple(sorted({work.settings.digest for work in works}))


def earlier(store: Store, runs: tuple[str, ...], capped: bool) -> Earlier:
    """What the command's earlier drivers spent; BadInput if one of them is still at it and a cap would be shared."""
    requests = tokens = pico = 0
    seconds = 0.0
    for name in store.writers():
        row = account(store.folder / name)
        if row is None or tuple(row["command"]) != runs:
            continue
        if not row["closed"] and store.alive(name):
            if capped:
                raise BadInput(f"budget: another driver plays the same ({name}); wait for its end, or drop the caps")
            continue
        requests += row["requests"]
        tokens += row["spent"]["tokens"] + row["assumed"]["tokens"]
        pico += round((row["spent"]["dollars"] + row["assumed"]["dollars"]) * PICO)
        seconds += row["seconds"]
    return Earlier(requests=requests, tokens=tokens, pico=pico, seconds=seconds)


def account(folder: Path) -> dict[str, Any] | None:
    """What a driver has spent: as its desk said at its end, or by its journal, where it did not come to that."""
    try:
        row: dict[str, Any] = json.loads((folder / ACCOUNT).read_text())
    except FileNotFoundError:
        return None
    except ValueError:
        raise BadInput(
            f"{folder / ACCOUNT}: is damaged; restore it, or remove it to count its driver as free"
        ) from None
    journal = folder / JOURNAL
    if row["closed"] or not journal.exists():
        return row
    said = Account()
    said.read(read(journal))
    for unit in list(said.held):
        said.drop(unit)
    return {**row, **said.row()}


def close_account(folder: Path) -> bool:
    """Write down what a driver spent, if its desk has not: its journal may then go. False where the disk is full."""
    row = account(folder)
    if row is not None and not row["closed"]:
        aside = folder / f".{ACCOUNT}"
        try:
            aside.write_text(json.dumps({**row, "closed": True}))
            aside.replace(folder / ACCOUNT)
        except OSError:
            return False
    return True
