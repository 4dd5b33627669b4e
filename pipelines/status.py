"""``heuresis status``: counts, spend, rates and failures of a run, while it goes on and after, from the disk alone."""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from rich.console import Console

from actors.errors import BadInput
from actors.recorded import Call
from pipelines.account import standing
from pipelines.entry import RESTARTED, Entry
from pipelines.journals import Journals
from pipelines.search_settings import SearchSettings
from pipelines.search_status import say_standings, standings
from pipelines.spent import Spent, spent
from pipelines.store import Store
from pipelines.work import read_settings, runs_of, shown

RECENT = 60.0  # seconds over which the rate is taken


def status(folder: Path) -> dict[str, Any]:
    """What a script may want to know of a run, or of a study: of all its runs, each unit once."""
    runs = runs_of(folder)
    kinds = {unit: kind for run in runs for unit, kind in kinds_of(run).items()}
    settings = read_settings(runs[0])
    if not settings.store.is_dir():
        raise BadInput(f"{settings.store}: the store of {folder} is not there; restore it, or run its command again")
    store = Store(settings.store)
    entries = {unit: store.finished(unit) for unit in kinds}
    counts = Counter((kinds[unit], entry.status if entry else "pending") for unit, entry in entries.items())
    failed = [entry.unit for entry in entries.values() if entry and entry.status != "ok"]
    spend = spending(store, entries)
    searches = standings(list(kinds), store, settings) if isinstance(settings, SearchSettings) else []
    return {
        "run": shown(folder),
        "experiment": settings.experiment if runs == [folder] else "study",
        **({} if runs == [folder] else {"runs": [shown(run) for run in runs]}),
        **({"searches": searches} if searches else {}),
        "units": {
            kind: {state: counts[kind, state] for state in ("ok", "error", "pending")}
            for kind in sorted(set(kinds.values()))
        },
        "begun": spend.begun,
        "spend": spend.sums._asdict(),
        "budget": standing(store, settings.digest, settings.budget.caps),
        "calls_per_second": round(spend.recent / RECENT, 2),
        "failures": [{name: store.plain(unit)[name] for name in ("unit", "error_kind", "error")} for unit in failed],
    }


def kinds_of(run: Path) -> dict[str, str]:
    """The kind of each unit that a run's tables name."""
    read_settings(run)  # is it a run's folder at all
    path = run / "tables" / "units.parquet"
    if not path.exists():
        raise BadInput(f"{run}: has no tables/units.parquet yet; the run that makes it has not got that far")
    try:
        columns = pq.read_table(path, columns=["unit", "kind"]).to_pydict()
    except (OSError, pa.ArrowInvalid):
        raise BadInput(f"{path}: is damaged; run the command that made it again") from None
    return dict(zip(columns["unit"], columns["kind"], strict=True))


@dataclass
class Spending:
    """What was spent on units, how many calls of it in the last minute, and how many units are begun and open."""

    sums: Spent = field(default_factory=Spent)
    recent: int = 0
    begun: int = 0

    def add(self, calls: Sequence[Call]) -> None:
        """Take calls in."""
        since = time.time() - RECENT
        self.recent += sum(call.started_at > since for call in calls)
        self.sums = self.sums.plus(spent(call.reply for call in calls))


def spending(store: Store, entries: Mapping[str, Entry | None]) -> Spending:
    """From the index where that tells; a record is opened if it is of the last minute or from before sums were kept."""
    found, since = Spending(), time.time() - RECENT
    journals = Journals(store, [unit for unit, entry in entries.items() if not entry or entry.status != "ok"])
    journaled = set(journals.begun())
    for unit, finished in entries.items():
        last = store.latest(unit)
        if unit in journaled:
            calls = journals.recorded(unit).calls
            found.add(calls)
            found.begun += bool(calls) and not finished
        elif last is not None and last.status != RESTARTED:
            if last.spent is None or last.finished_at > since:
                found.add(store.record(unit).calls)
            else:
                found.sums = found.sums.plus(last.spent)
            found.begun += not finished  # its game was played again since
    return found


def say_status(found: dict[str, Any], console: Console) -> None:
    """The same for a reader."""
    console.print(f"{found['run']}  ({found['experiment']})", highlight=False, soft_wrap=True)
    for kind, counts in found["units"].items():
        console.print(
            f"  {kind:11} {counts['ok']} ok, {counts['error']} failed, {counts['pending']} to play",
            highlight=False,
            soft_wrap=True,
        )
    say_standings(found.get("searches", ()), console)
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
    for cap, part in found["budget"].items():
        name = {"calls": "requests"}.get(cap, cap)  # a call may have taken several
        sums = ", ".join(f"{part[key]:,.6g} {word}" for key, word in (("held", "held"), ("left", "left")))
        console.print(f"  budget   {part['spent']:,.6g} of {part['cap']:,.6g} {name} spent, {sums}", highlight=False)
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
