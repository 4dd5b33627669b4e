"""``heuresis status``: counts, spend, rates and failures of a run, while it goes on and after, from the disk alone."""

import time
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from rich.console import Console

from actors.errors import BadInput
from pipelines.plan import read_settings, shown
from pipelines.store import Store

RECENT = 60.0  # seconds over which the rate is taken


def status(folder: Path) -> dict[str, Any]:
    """What a script may want to know of a run."""
    settings = read_settings(folder)
    path = folder / "tables" / "units.parquet"
    if not path.exists():
        raise BadInput(f"{folder}: has no tables/units.parquet yet; the run that makes it has not got that far")
    try:
        columns = pq.read_table(path, columns=["unit", "kind"]).to_pydict()
    except (OSError, pa.ArrowInvalid):
        raise BadInput(f"{path}: is damaged; run the command that made it again") from None
    kinds: dict[str, str] = dict(zip(columns["unit"], columns["kind"], strict=True))
    if not settings.store.is_dir():
        raise BadInput(f"{settings.store}: the store of {folder} is not there; restore it, or run its command again")
    store = Store(settings.store)
    entries = {unit: store.finished(unit) for unit in kinds}
    counts = Counter((kinds[unit], entry.status if entry else "pending") for unit, entry in entries.items())
    spend, failures = Spend(), []
    for unit, entry in entries.items():
        if entry and entry.status == "ok":
            spend.add(store.plain(unit)["calls"])
        elif entry:
            failures.append({name: store.plain(unit)[name] for name in ("unit", "error_kind", "error")})
    begun = 0
    still_open = [unit for unit, entry in entries.items() if not entry or entry.status != "ok"]
    for unit, recorded in store.recorded(still_open).items():
        spend.add(call.model_dump() for call in recorded.calls)
        begun += bool(recorded.calls) and not entries[unit]
    return {
        "run": shown(folder),
        "experiment": settings.experiment,
        "units": {
            kind: {state: counts[kind, state] for state in ("ok", "error", "pending")}
            for kind in sorted(set(kinds.values()))
        },
        "begun": begun,
        "spend": spend.sums(),
        "calls_per_second": round(spend.recent / RECENT, 2),
        "failures": failures,
    }


class Spend:
    """Sums over calls, one at a time; a sum is None where any of its parts is unknown."""

    def __init__(self) -> None:
        self._calls = self.recent = 0
        self._sums: dict[str, Any] = dict.fromkeys(("prompt_tokens", "completion_tokens", "cached_tokens", "cost"), 0)

    def add(self, calls: Iterable[Mapping[str, Any]]) -> None:
        """Take calls in. One that never reached a model, or brought nothing back, has no tokens: it is only counted."""
        since = time.time() - RECENT
        for call in calls:
            self._calls += 1
            self.recent += call["started_at"] > since
            if call["reply"]["text"] is None and call["reply"]["prompt_tokens"] is None:
                continue
            for name, total in self._sums.items():
                part = call["reply"][name]
                self._sums[name] = None if total is None or part is None else total + part

    def sums(self) -> dict[str, Any]:
        """Calls, tokens and dollars."""
        return {"calls": self._calls, **self._sums}


def say_status(found: dict[str, Any], console: Console) -> None:
    """The same for a reader."""
    console.print(f"{found['run']}  ({found['experiment']})", highlight=False, soft_wrap=True)
    for kind, counts in found["units"].items():
        console.print(
            f"  {kind:8} {counts['ok']} ok, {counts['error']} failed, {counts['pending']} to play",
            highlight=False,
            soft_wrap=True,
        )
    money = found["spend"]
    cost = "an unknown price" if money["cost"] is None else f"${money['cost']:.4f}"
    tokens = "tokens unknown"
    if money["prompt_tokens"] is not None:
        tokens = f"{money['prompt_tokens']:,} prompt tokens, {money['completion_tokens']:,} completion tokens"
    console.print(f"  spent    {money['calls']:,} calls, {tokens}, {cost}", highlight=False, soft_wrap=True)
    console.print(
        f"  now      {found['begun']} begun and not finished, {found['calls_per_second']} calls/s in the last minute",
        highlight=False,
        soft_wrap=True,
    )
    for failure in found["failures"][:10]:
        console.print(
            f"  failed   {failure['unit']}: {failure['error_kind']}: {failure['error']}",
            highlight=False,
            markup=False,
            soft_wrap=True,
        )
    if len(found["failures"]) > 10:
        console.print(
            f"  ... and {len(found['failures']) - 10} more; --json lists them all", highlight=False, soft_wrap=True
        )
