"""What a command's drivers have spent, from what their desks left in the store.

A command is known by the runs that it plays: a run, or all runs of a sweep. Each driver's desk keeps ``account.json``
in the driver's folder; where a driver was killed, the truth is in its journal.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from actors.budget import PICO, Account, Caps, Earlier
from actors.desk import ACCOUNT
from actors.errors import BadInput
from actors.journal import read
from actors.row import Row
from pipelines.store import JOURNAL, Store, damaged
from pipelines.work import Work


class Sum(Row):
    """Tokens, and US dollars."""

    tokens: int
    dollars: float


class Said(Row):
    """``account.json``: what a driver plays, its wall-clock in seconds, its requests and what they cost."""

    command: tuple[str, ...]
    closed: bool
    seconds: float
    requests: int
    spent: Sum
    assumed: Sum
    held: Sum


def command(works: Iterable[Work]) -> tuple[str, ...]:
    """The runs that a command plays."""
    return tuple(sorted({work.settings.digest for work in works}))


def said(store: Store) -> dict[str, dict[str, Any]]:
    """What every driver's desk said last, by the driver's name, oldest first."""
    rows = {name: last_said(store.folder / name) for name in store.writers()}
    return {name: row for name, row in rows.items() if row is not None}


def accounts(store: Store, runs: tuple[str, ...]) -> dict[str, dict[str, Any]]:
    """The accounts of one command's drivers; those that were killed by their journals."""
    return {
        name: row if store.alive(name) else settled(store.folder / name, row)
        for name, row in said(store).items()
        if tuple(row["command"]) == runs
    }


def open_account(folder: Path, runs: tuple[str, ...]) -> None:
    """A driver says what it plays before it plays, so that no other takes its caps for free."""
    row = {"command": runs, "closed": False, "seconds": 0.0, **Account().row()}
    (folder / ACCOUNT).write_text(json.dumps(row))


def earlier(store: Store, runs: tuple[str, ...], own: str, capped: bool) -> Earlier:
    """What the command's other drivers spent; BadInput if an older one is still at it and a cap would be shared."""
    total = Earlier()
    for name, row in accounts(store, runs).items():
        if name == own:
            continue
        if row["closed"]:
            total = Earlier(
                requests=total.requests + row["requests"],
                tokens=total.tokens + row["spent"]["tokens"] + row["assumed"]["tokens"],
                pico=total.pico + round((row["spent"]["dollars"] + row["assumed"]["dollars"]) * PICO),
                seconds=total.seconds + row["seconds"],
            )
        elif capped and name < own:  # a younger one refuses itself
            raise BadInput(f"budget: another driver plays the same ({name}); wait for its end, or drop the caps")
    return total


def standing(store: Store, run: str, caps: Caps) -> dict[str, dict[str, float]]:
    """For each cap of a run: what is spent (with what is only assumed), held by requests under way, and left.

    Where the run was last played in a sweep, the sweep's: caps are a command's.
    """
    commands = [tuple(row["command"]) for row in said(store).values() if run in row["command"]]
    rows = list(accounts(store, commands[-1]).values()) if commands else []
    spent = {
        "calls": sum(row["requests"] for row in rows),
        "tokens": sum(row["spent"]["tokens"] + row["assumed"]["tokens"] for row in rows),
        "dollars": sum(row["spent"]["dollars"] + row["assumed"]["dollars"] for row in rows),
        "hours": sum(row["seconds"] for row in rows) / 3600,
    }
    held = {name: sum(row["held"][name] for row in rows) for name in ("tokens", "dollars")}
    found = {}
    for name, cap in caps.model_dump(exclude_none=True).items():
        holds = held.get(name, 0)
        found[name] = {"cap": cap, "spent": spent[name], "held": holds, "left": max(0, cap - spent[name] - holds)}
    return found


def last_said(folder: Path) -> dict[str, Any] | None:
    """What a driver's desk said last; None if it never spoke."""
    path = folder / ACCOUNT
    try:
        row = json.loads(path.read_text())
        return Said.model_validate(row).model_dump()
    except FileNotFoundError:
        return None
    except ValueError:  # not JSON, or another shape
        raise BadInput(f"{path}: is damaged; restore it, or remove it to count its driver as free") from None


def settled(folder: Path, row: dict[str, Any]) -> dict[str, Any]:
    """What a driver that is gone has spent, with all that it knew on its way out."""
    journal = folder / JOURNAL
    if row["closed"] or not journal.exists():
        return {**row, "closed": True}
    found = Account()
    try:
        found.read(read(journal))
    except (TypeError, KeyError, ValueError, AttributeError):
        raise BadInput(damaged(journal, "an event")) from None
    for unit in list(found.held):
        found.drop(unit)
    return {**row, **found.row(), "closed": True}


def close_account(folder: Path) -> bool:
    """Write down what a driver spent, if its desk has not: its journal may then go. False where the disk is full."""
    row = last_said(folder)
    if row is not None and not row["closed"]:
        aside = folder / f".{ACCOUNT}"
        try:
            aside.write_text(json.dumps({**settled(folder, row), "closed": True}))
            aside.replace(folder / ACCOUNT)
        except OSError:
            return False
    return True
