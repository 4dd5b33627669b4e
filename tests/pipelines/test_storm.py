"""Every fault of an endpoint at once: each unit ends well or as a typed row, and the counts add up."""

from pathlib import Path

import pandas as pd
import pytest
from conftest import Bench
from loopback import LoopbackProcess, Trouble

from actors.errors import ErrorKind

FAULTS: dict[Trouble, set[ErrorKind]] = {
    Trouble.CONTEXT: {ErrorKind.CONTEXT},
    Trouble.RUBBISH: {ErrorKind.INVALID},
    Trouble.SCHEMA: {ErrorKind.INVALID},
    Trouble.EMPTY: {ErrorKind.INVALID},
    Trouble.CUT_OFF: {ErrorKind.INVALID},
    Trouble.FILTER: {ErrorKind.FILTERED},
    Trouble.DROP: {ErrorKind.CONNECTION},
    Trouble.SLOW: {ErrorKind.TIMEOUT},
    Trouble.ENDLESS: {ErrorKind.SERVER, ErrorKind.TIMEOUT},
}
STATUS = {429: ErrorKind.RATE, 500: ErrorKind.SERVER, 503: ErrorKind.SERVER, 400: ErrorKind.BAD_REQUEST}


PASSING = (Trouble.DROP, Trouble.SLOW, Trouble.ENDLESS, 429, 500, 503)


def storm(server: LoopbackProcess, fraction: float, each: int | None = None) -> None:
    """All of it. each: how often a fault that passes strikes one request; None is always."""
    for fault in (*FAULTS, *STATUS):
        order = {"fraction": fraction, "each": each if fault in PASSING else None}
        if isinstance(fault, Trouble):
            server.misbehave(fault.value, **order)
        else:
            server.misbehave("status", status=fault, retry_after="0.1" if fault == 503 else None, **order)


def play(bench: Bench, server: LoopbackProcess, *more: str) -> dict[str, pd.DataFrame]:
    given = (
        *("cast=endpoint", "papers=2", "card_every=5", "cluster.in_flight=200"),
        *("models.endpoint.model=openai/x", f"models.endpoint.api_base={server.url}", "models.endpoint.timeout=2"),
        *("models.endpoint.tries=3", "models.endpoint.send_seed=true", "models.endpoint.in_flight=200", *more),
    )
    assert bench.run(*given) == 1
    return {name: bench.table(name, *given) for name in ("units", "turns", "cards", "ratings", "calls", "limits")}


def check(found: dict[str, pd.DataFrame], requests: int, games: int, questions: int) -> None:
    units, calls = found["units"], found["calls"]
    played = units[units.kind == "game"].set_index("unit")
    assert len(played) == games
    assert set(played.status) == {"ok", "error"}
    failed = units[units.status == "error"]
    assert set(failed.error_kind) <= {kind.value for kind in ErrorKind} - {"auth", "lost"}
    assert failed.error.str.len().min() > 10
    assert units[units.status == "ok"].error_kind.isna().all()
    # A judging is played where its game is there, and only there.
    judgings = units[units.kind == "judging"]
    assert set(judgings[judgings.game.map(played.status) == "error"].status) == {"pending"}
    assert "pending" not in set(judgings[judgings.game.map(played.status) == "ok"].status)
    # A game that is ok is whole.
    good = played.index[played.status == "ok"]
    assert set(found["turns"].groupby("unit").size().loc[good]) == {questions}
    assert set(found["cards"].groupby("unit").size().loc[good]) == {questions // 5 + 1}
    assert found["turns"][["question", "answer"]].notna().all(axis=None)
    # A score is missing only where its judging says so.
    bare = found["ratings"][found["ratings"].score.isna()]
    assert set(bare.unit) <= set(failed.unit)
    assert set(failed[failed.unit.isin(set(bare.unit))].error_kind) <= {"rating"}
    # Every request is in a row; a try that timed out may have died on its way.
    late = calls[calls.error_kind.isin(["timeout", "connection"]) | (calls.tries > 1)].tries.sum()
    assert requests <= calls.tries.sum() + calls.lost.sum() <= requests + late
    assert set(found["limits"].why) >= {"start", "rate", "server"}
    assert found["limits"].limit.between(1, 200).all()
    assert calls[calls.error_kind.isna()].prompt_tokens.notna().all()
    assert calls[calls.error_kind.notna()].error.notna().all()


def test_200_games_in_a_storm(tmp_path: Path) -> None:
    with LoopbackProcess(lag=0.01) as server:
        storm(server, 0.015)
        found = play(Bench(tmp_path), server, "replicates=100", "questions=5")
        check(found, server.total, games=200, questions=5)
        seen = {*STATUS.values(), *(kind for kinds in FAULTS.values() for kind in kinds)}
        assert set(found["calls"].error_kind.dropna()) == {kind.value for kind in seen}


@pytest.mark.soak
@pytest.mark.parametrize("cluster", ["inprocess", "local"])
def test_200_games_in_the_full_storm(tmp_path: Path, cluster: str) -> None:
    with LoopbackProcess(lag=0.05) as server:
        storm(server, 0.05, each=2)
        more = (f"cluster={cluster}", "cluster.in_flight=200", "replicates=100", "questions=5")
        found = play(Bench(tmp_path), server, *more)
        check(found, server.total, games=200, questions=5)
        assert {"bad_request", "context", "filtered", "invalid"} <= set(found["calls"].error_kind)
        assert (found["calls"][found["calls"].error_kind.isna()].tries == 3).any()  # a third try got through
