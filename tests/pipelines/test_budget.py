"""Caps: never passed by one, with 200 games in flight; a raised one goes on to the tables of a run without any."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pandas as pd
import pytest
from conftest import Bench, but_times
from loopback import Loopback, Trouble

from pipelines.status import status

GAMES = ("cast=endpoint", "papers=4", "replicates=25", "questions=2", "card_every=2", "cluster.in_flight=200")
PRICE = "models.endpoint.price={input: 1.0, output: 10.0}"
TABLES = ("units", "turns", "cards", "ratings")


def given(server: Loopback, *more: str) -> tuple[str, ...]:
    base = (
        "models.endpoint.model=openai/x",
        f"models.endpoint.api_base={server.url}",
        "models.endpoint.max_tokens=100",
    )
    return (*GAMES, *base, "models.endpoint.send_seed=true", PRICE, *more)


def tables(bench: Bench, *overrides: str) -> dict[str, pd.DataFrame]:
    return {name: but_times(bench.table(name, *overrides)) for name in TABLES}


def dollars_of(server: Loopback) -> float:
    return (server.usage["prompt_tokens"] * 1.0 + server.usage["completion_tokens"] * 10.0) / 1e6


@pytest.fixture(scope="module")
def free(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, pd.DataFrame], int, int, float]:
    """The tables of a run without caps, with its requests, tokens and dollars."""
    bench = Bench(tmp_path_factory.mktemp("free"))
    with Loopback(lag=0.01) as server:
        assert bench.run(*given(server)) == 0
        calls = bench.table("calls", *given(server))
        assert calls.cost.sum() == pytest.approx(dollars_of(server))
        return tables(bench, *given(server)), server.total, server.usage.total(), dollars_of(server)


@pytest.mark.parametrize("what", ["calls", "tokens", "dollars"])
def test_a_cap_is_never_passed_and_a_raised_one_goes_on(
    bench: Bench, free: tuple[dict[str, pd.DataFrame], int, int, float], what: str, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted, requests, tokens, dollars = free
    cap = {"calls": requests // 2, "tokens": tokens // 2, "dollars": round(dollars / 2, 4)}[what]
    with Loopback(lag=0.01) as server:
        assert bench.run(*given(server, f"budget.{what}={cap}")) == 3
        assert f"budget.{what}={cap:g}" in capsys.readouterr().out
        sums = {"calls": server.total, "tokens": server.usage.total(), "dollars": dollars_of(server)}
        assert cap * 0.9 < sums[what] <= cap
        assert bench.run(*given(server, f"budget.{what}={cap}")) == 3  # what is left may still hold small requests
        assert {"calls": server.total, "tokens": server.usage.total(), "dollars": dollars_of(server)}[what] <= cap
        assert bench.run(*given(server)) == 0
        assert server.total == requests  # nothing was paid twice
        found = tables(bench, *given(server))
    for name in TABLES:
        assert found[name].equals(wanted[name]), name


def test_failed_tries_count_and_unknown_costs_count_as_the_most(bench: Bench) -> None:
    with Loopback() as server:
        few = given(server, "papers=1", "replicates=10")
        server.misbehave(Trouble.STATUS, status=429, retry_after="0", fraction=0.5, each=1)
        server.misbehave(Trouble.DROP, fraction=0.8, each=1)
        assert bench.run(*few, "budget.calls=37") == 3
        assert server.total == 37
        account = json.loads((bench.writers()[0] / "account.json").read_text())
    assert account["requests"] == 37
    assert account["closed"]
    assert account["held"] == {"tokens": 0, "dollars": 0}
    assert account["assumed"]["tokens"] > 100  # at least one request was dropped
    assert account["spent"]["tokens"] == server.usage.total()


def test_status_says_what_is_spent_and_left(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    with Loopback() as server:
        few = given(server, "papers=1", "replicates=1")
        assert bench.run(*few, "budget.calls=3", "budget.dollars=9") == 3
    dollars = dollars_of(server)
    found = status(bench.folder(*few))["budget"]
    assert found["calls"] == {"cap": 3, "spent": 3, "held": 0, "left": 0}
    assert found["dollars"] == pytest.approx({"cap": 9, "spent": dollars, "held": 0, "left": 9 - dollars})
    assert "budget   3 of 3 requests spent, 0 held, 0 left" in capsys.readouterr().out


def test_the_clock_is_a_budget_too(bench: Bench) -> None:
    with Loopback(lag=0.05) as server:
        assert bench.run(*given(server, "budget.hours=0.0003")) == 3
        assert server.total > 0
        before = server.total
        assert bench.run(*given(server, "budget.hours=0.0003")) == 3
        assert server.total == before
        assert bench.run(*given(server, "budget.hours=1")) == 0


def test_a_dollar_cap_needs_every_price(refusal: Callable[[Sequence[str]], str], bench: Bench) -> None:
    said = refusal(["run", *bench.overrides("cast=paper", "budget.dollars=5")])
    assert "the price of" in said
    assert "models.gpt-oss-120b.price.input" in said


def test_two_drivers_do_not_share_a_cap(
    refusal: Callable[[Sequence[str]], str], bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Loopback() as server:
        few = given(server, "papers=1", "replicates=1")
        assert bench.run(*few, "budget.calls=2") == 3
        path = bench.writers()[0] / "account.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), "closed": False}))
        monkeypatch.setattr("pipelines.store.Store.alive", lambda *_: True)
        assert "another driver plays the same" in refusal(["run", *bench.overrides(*few, "budget.calls=9")])


def test_a_killed_drivers_account_is_read_from_its_journal(bench: Bench) -> None:
    with Loopback() as server:
        few = given(server, "papers=1", "replicates=1")
        assert bench.run(*few, "budget.calls=3") == 3
        writer: Path = bench.writers()[0]
        row = json.loads((writer / "account.json").read_text())
        (writer / "account.json").write_text(
            json.dumps({**row, "closed": False, "requests": 0, "spent": {"tokens": 0, "dollars": 0}})
        )
        assert bench.run(*few, "budget.calls=3") == 3
        assert server.total == 3
        assert bench.run(*few, "budget.calls=5") == 3
        assert server.total == 5
