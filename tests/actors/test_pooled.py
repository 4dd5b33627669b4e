"""The pooled game: who proposes, in what order, who picks, and what is left of it."""

from collections import Counter
from typing import Any

import pytest
from seats import CORPUS, DESK, NAMES, NOTHING, Script, again, scripted

from actors.dialogue import PickReply, QuestionReply
from actors.inquisitor import Strategy
from actors.model import Spec
from actors.pooled import PooledGames, PooledPlan, Selection
from actors.prompt import Request
from actors.record import Record

SPECS = {
    "ann": scripted("ann", knowledge=0.9, skill=1.0),
    "bob": scripted("bob", knowledge=0.6),
    "cat": scripted("cat", knowledge=0.3),
}
CARD = '{"contribution": "c", "approach": "a", "components": ["p"], "novelty": "n", "confidence": 5}'


def table(specs: dict[str, Spec] = SPECS) -> PooledGames:
    return PooledGames(specs, CORPUS, scripted("oracle"), Strategy(name="plain"), None, DESK, 0.0)


def plan(selection: Selection = Selection.MODEL, **more: Any) -> PooledPlan:
    known = {"paper": NAMES[0], "proposers": ("ann", "bob", "cat"), "selector": "ann", "questions": 12, "card_every": 5}
    return PooledPlan(unit="pool", selection=selection, **(known | more))


def chosen(record: Record) -> list[dict[str, Any]]:
    return [row for row in record.rows["picks"] if row["chosen"]]


async def test_one_of_each_turns_proposals_is_asked() -> None:
    record = await table().play(plan(), NOTHING)
    assert record.status == "ok"
    picks = record.rows["picks"]
    assert [(row["t"], row["position"]) for row in picks] == [(t, p) for t in range(1, 13) for p in (1, 2, 3)]
    assert Counter((row["t"], row["proposer"]) for row in picks) == {
        (t, name): 1 for t in range(1, 13) for name in SPECS
    }
    asked = [(row["t"], row["question"]) for row in record.rows["turns"]]
    assert asked == [(row["t"], row["question"]) for row in chosen(record)]
    assert [row["t"] for row in record.rows["cards"]] == [0, 5, 10, 12]
    assert len({row["proposer"] for row in picks if row["position"] == 1}) == 3


async def test_a_pooled_game_that_was_cut_short_goes_on_from_its_calls() -> None:
    whole = await table().play(plan(), NOTHING)
    resumed = await table().play(plan(), again(whole, calls=30))
    assert resumed.rows == whole.rows
    assert resumed.calls[:30] == whole.calls[:30]


async def test_a_random_pick_asks_nobody_and_the_named_writer_writes() -> None:
    record = await table().play(plan(Selection.RANDOM, selector="bob", questions=30), NOTHING)
    assert "pick" not in {call.seat for call in record.calls}
    assert {call.caller for call in record.calls if call.seat == "card"} == {"bob"}
    assert {row["proposer"] for row in chosen(record)} == set(SPECS)
    assert {row["position"] for row in chosen(record)} == {1, 2, 3}


async def test_best_of_picks_among_fresh_samples_of_one_model() -> None:
    record = await table().play(plan(Selection.BEST_OF, selector="cat", proposers=("cat",) * 3), NOTHING)
    assert {call.caller for call in record.calls} == {"cat", "oracle"}
    questions = [{row["question"] for row in record.rows["picks"] if row["t"] == t} for t in range(1, 13)]
    assert max(map(len, questions)) == 3


async def test_proposals_that_are_alike_stay_as_they_are() -> None:
    same = {"eve": scripted("eve", reference=True)}
    record = await table(same).play(plan(selector="eve", proposers=("eve", "eve"), questions=2), NOTHING)
    first, second = (row["question"] for row in record.rows["picks"] if row["t"] == 1)
    assert first == second


class Picks:
    """One script in every seat: numbered questions, cards, and picks as they are given."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *picks: int) -> None:
        self._picks, self._asked = iter(picks), 0
        self.script = Script(self.say)
        monkeypatch.setattr("actors.pooled.open_model", lambda *_: self.script)

    def say(self, request: Request) -> str:
        if request.prompt == "card":
            return CARD
        if request.prompt == "pick":
            return PickReply(position=next(self._picks)).model_dump_json()
        self._asked += 1
        return QuestionReply(question=f"Does it use part {self._asked}?").model_dump_json()


async def test_a_pick_that_names_no_proposal_is_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    picks = Picks(monkeypatch, 0, 4, 3)
    record = await table().play(plan(questions=1), NOTHING)
    assert record.status == "ok"
    assert [row["position"] for row in chosen(record)] == [3]
    asked = [request for request in picks.script.heard if request.prompt == "pick"]
    assert len(asked) == 3


async def test_a_selector_that_never_names_one_ends_the_game(monkeypatch: pytest.MonkeyPatch) -> None:
    Picks(monkeypatch, 0, 4, 9)
    record = await table().play(plan(questions=1), NOTHING)
    assert (record.status, record.error_kind) == ("error", "invalid")
    assert "picks" not in record.rows
    assert [row["t"] for row in record.rows["cards"]] == [0]


async def test_the_selector_is_not_told_who_proposed(monkeypatch: pytest.MonkeyPatch) -> None:
    picks = Picks(monkeypatch, 1, 2)
    record = await table().play(plan(questions=2), NOTHING)
    said = [request for request in picks.script.heard if request.prompt == "pick"][-1]
    words = "\n".join(message["content"] for message in said.messages())
    for row in record.rows["picks"]:
        if row["t"] == 2:
            assert f"{row['position']}. {row['question']}" in words
    assert not [name for name in SPECS if name in words.split()]
    assert f"1. {record.rows['turns'][0]['question']}" in words
    assert CORPUS.papers[NAMES[0]].solution.contribution not in words
