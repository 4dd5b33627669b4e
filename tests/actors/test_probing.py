"""The closed-book probe: lists of the length that is wanted, each sampled afresh."""

import pytest
from seats import CORPUS, DESK, NAMES, NOTHING, PAPER, Script, again, scripted

from actors.dialogue import CandidatesReply
from actors.inquisitor import Strategy
from actors.probing import Probes


def listed(*ideas: str) -> str:
    return CandidatesReply(candidates=ideas).model_dump_json()


def probes() -> Probes:
    return Probes(scripted("player", knowledge=0.8), CORPUS, Strategy(name="plain"), DESK, 0.0)


async def test_a_probe_leaves_every_candidate_of_every_list() -> None:
    record = await probes().probe("probe", NAMES[0], 10, 3, NOTHING)
    rows = record.rows["candidates"]
    assert [(row["sample"], row["number"]) for row in rows] == [(s, n) for s in range(3) for n in range(1, 11)]
    lists = [[row["idea"] for row in rows if row["sample"] == sample] for sample in range(3)]
    assert lists[0] != lists[1] != lists[2]
    resumed = await probes().probe("probe", NAMES[0], 10, 3, again(record, calls=2))
    assert resumed.rows == record.rows


async def test_a_list_of_another_length_is_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    script = Script([listed("a"), listed("a", "b"), listed("c", "d", "e"), listed("c", "d")])
    monkeypatch.setattr("actors.probing.open_model", lambda *_: script)
    record = await probes().probe("probe", NAMES[0], 2, 2, NOTHING)
    assert [row["idea"] for row in record.rows["candidates"]] == ["a", "b", "c", "d"]
    assert len({request.seed for request in script.heard}) == 4
    assert [request.temperature for request in script.heard] == [1.0] * 4


async def test_a_probe_that_never_gets_a_list_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("actors.probing.open_model", lambda *_: Script([listed("a")] * 3))
    record = await probes().probe("probe", NAMES[0], 2, 2, NOTHING)
    assert (record.status, record.error_kind, record.rows) == ("error", "invalid", {})


async def test_the_book_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    script = Script([listed("a", "b")])
    monkeypatch.setattr("actors.probing.open_model", lambda *_: script)
    await probes().probe("probe", NAMES[0], 2, 1, NOTHING)
    assert PAPER.problem.gap in script.words
    assert "exactly 2 proposals" in script.words
    for secret in (PAPER.solution.contribution, PAPER.title, PAPER.abstract, CORPUS.surveys[NAMES[0]].core):
        assert secret not in script.words
