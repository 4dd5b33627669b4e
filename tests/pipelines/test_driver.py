"""What the driver writes down itself: lost units, and times that hang on no other machine's clock."""

import json
import time
from pathlib import Path

import pytest
from conftest import Bench

from actors.amount import Amount
from actors.budget import Account, Budget, Caps, Cost, Earlier, Verdict, cost_of
from actors.errors import BadInput, ErrorKind
from actors.model import Price, Spec
from actors.record import Record
from actors.recorded import Recorded
from pipelines.account import earlier, open_account
from pipelines.agenda import Job
from pipelines.config import settings
from pipelines.driver import allowed_failures
from pipelines.plan import plan
from pipelines.store import Store, Writer


def record(unit: str, finished_at: float, status: str = "ok") -> Record:
    return Record(unit=unit, status=status, round=0, rows={}, calls=[], finished_at=finished_at)


def test_a_lost_judging_is_a_failed_one(bench: Bench) -> None:
    work = plan(settings(bench.overrides("cast=scripted", "papers=1", "replicates=1", "questions=2", "judges=[fair]")))
    game, judging = work.units[:2]
    store = Store(bench.outputs / "store")
    writer = Writer(store)
    writer.finish([record(game.id, 1.0)])
    writer.finish([Job(judging, work, False, 0.0).lost(store.finished(game.id), Recorded(), "its actor died")])
    writer.close()
    entry = Store(bench.outputs / "store").finished(judging.id)
    assert entry is not None
    assert entry.status == "error"
    assert Store(bench.outputs / "store").record(judging.id).error_kind is ErrorKind.LOST


def test_a_record_counts_though_its_actors_clock_is_behind(tmp_path: Path) -> None:
    store = Store(tmp_path)
    writer = Writer(store)
    writer.restart("u")
    writer.finish([record("u", time.time() - 3600)])
    writer.close()
    entry = Store(tmp_path).finished("u")
    assert entry is not None
    assert entry.finished_at == Store(tmp_path).record("u").finished_at


def test_a_driver_that_has_only_begun_keeps_others_off_its_caps(tmp_path: Path) -> None:
    store = Store(tmp_path)
    first, second = Writer(store), Writer(store)
    for writer in (first, second):
        open_account(writer.folder, ("run",))
    assert earlier(store, ("run",), first.name, capped=True) == Earlier()
    with pytest.raises(BadInput, match="another driver plays the same"):
        earlier(store, ("run",), second.name, capped=True)
    assert earlier(store, ("other",), second.name, capped=True) == Earlier()
    assert earlier(store, ("run",), second.name, capped=False) == Earlier()
    first.close()
    second.close()


def test_a_retry_of_a_request_that_was_given_up_is_checked_as_a_new_one() -> None:
    account = Account()
    budget = Budget(Caps(tokens=100), Earlier(), account, 0.0, lambda: 0.0)
    most = cost_of(Amount(tokens=100))
    assert budget.ask("u", most)[0] is Verdict.GO
    account.drop("u")
    assert budget.ask("u", most, again=True)[0] is Verdict.STOP
    assert account.assumed == Cost(100, 0)
    assert account.held == {}


def test_a_desk_that_is_started_again_goes_on_with_the_drivers_clock() -> None:
    budget = Budget(Caps(hours=1), Earlier(seconds=1800), Account(), 100.0, lambda: 100.0 + 1799)
    assert budget.ask("u", Cost(0, 0))[0] is Verdict.GO
    late = Budget(Caps(hours=1), Earlier(seconds=1800), Account(), 100.0, lambda: 100.0 + 1800)
    assert late.ask("u", Cost(0, 0)) == (Verdict.STOP, "budget.hours=1")


@pytest.mark.parametrize(("given", "count"), [(None, None), (3, 3), (0.1, 2), (0.001, 1)])
def test_how_many_may_fail(given: float | int | None, count: int | None) -> None:
    assert allowed_failures(given, 15) == count


def test_an_account_is_closed_where_its_journal_is_gone(tmp_path: Path) -> None:
    store = Store(tmp_path)
    gone, own = Writer(store), Writer(store)
    row = {"command": ["run"], "closed": False, "seconds": 5.0, **Account().row(), "requests": 7}
    (gone.folder / "account.json").write_text(json.dumps(row))
    gone.finish([record("u", 1.0)])
    gone.close()
    assert earlier(store, ("run",), own.name, capped=True) == Earlier(requests=7, seconds=5.0)
    own.close()


@pytest.mark.parametrize("row", ["[]", "{}", "null", "5", '{"command": 3}', "{", '{"closed": true, "requests": "x"}'])
def test_a_damaged_account_is_named(tmp_path: Path, row: str) -> None:
    store = Store(tmp_path)
    spoiled, own = Writer(store), Writer(store)
    (spoiled.folder / "account.json").write_text(row)
    with pytest.raises(BadInput, match=r"account\.json: is damaged"):
        earlier(store, ("run",), own.name, capped=True)
    spoiled.close()
    own.close()


@pytest.mark.parametrize("event", ["5", '{"call": 3}', '{"again": true}', '{"call": {"reply": 3}}'])
def test_a_damaged_event_is_named_by_the_account_too(tmp_path: Path, event: str) -> None:
    store = Store(tmp_path)
    spoiled, own = Writer(store), Writer(store)
    open_account(spoiled.folder, ("run",))
    (spoiled.folder / "journal.jsonl").write_text(f"u\t{event}\n")
    spoiled.begin("u")
    spoiled.close()
    with pytest.raises(BadInput, match="an event is damaged"):
        earlier(store, ("run",), own.name, capped=True)
    own.close()


def test_the_dearest_price_of_a_prompt_is_held_back() -> None:
    price = Price(input=1, cached=50, output=1)
    spec = Spec(name="m", family="m", model="openai/m", price=price, max_tokens=200)
    assert spec.most(1000).dollars == pytest.approx((1000 * 50 + 200) / 1e6)
