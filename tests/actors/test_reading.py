"""Readings: what they leave, how batches go, what is invalid, and what another round makes of it."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from seats import CARD, CORPUS, DESK, NAMES, NOTHING, PAPER, SURVEY, Script, again, scripted, turns

from actors.dialogue import Turn
from actors.errors import ErrorKind
from actors.reading import Readings
from actors.record import Record
from actors.survey import Condition

GAME = ("reading", "game", "abc", NAMES[0])
FIVE = turns("Is it a?", "Is it b?", "Is it c?", "Is it d?", "Is it e?")


def readings(monkeypatch: pytest.MonkeyPatch, *says: str | ErrorKind) -> tuple[Readings, Script]:
    script = Script(says)
    monkeypatch.setattr("actors.reading.open_model", lambda *_: script)
    return Readings(scripted("reader"), CORPUS, DESK, 0.0), script


def batch(**values: Any) -> str:
    """What an annotator says of a batch: ``q3="first"`` is question 3."""
    return json.dumps({name.removeprefix("q"): value for name, value in values.items()})


def column(record: Record, table: str, name: str) -> list[Any]:
    return [row[name] for row in record.rows[table]]


async def test_a_recognition_says_which_candidate_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    says = [json.dumps({"rationale": "same", "candidate": number}) for number in (3, 2, 0)]
    reader, script = readings(monkeypatch, *says)
    found = await reader.recognise(*GAME, ["x", "y"], NOTHING)  # 3 is none of two, so it is asked again
    assert found.rows["recognitions"] == [{"listed": True, "candidate": 2, "rationale": "same"}]
    none = await reader.recognise(*GAME, ["x", "y"], NOTHING)
    assert none.rows["recognitions"] == [{"listed": False, "candidate": None, "rationale": "same"}]
    assert len(script.heard) == 3
    assert (found.parent, found.parent_digest, found.status) == ("game", "abc", "ok")


async def test_mentions_are_marked_batch_by_batch_and_then_on_the_card(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = batch(q1="first", q2="neither", q3="second"), batch(q4="both", q5="neither")
    reader, script = readings(monkeypatch, first, second, '{"states": "first"}')
    record = await reader.mentions(*GAME, FIVE, CARD, 3, NOTHING)
    assert column(record, "mentions", "place") == ["question"] * 5 + ["card"]
    assert column(record, "mentions", "t") == [1, 2, 3, 4, 5, 20]
    assert column(record, "mentions", "core") == [True, False, False, True, False, True]
    assert column(record, "mentions", "decoy") == [False, False, True, True, False, False]
    assert [request.temperature for request in script.heard] == [0.0] * 3


@pytest.mark.parametrize("reply", [batch(q1=1, q2=2), batch(q1=1, q2=2, q3=99), batch(q1=1, q2=2, q3=3, q4=4), "no"])
async def test_a_batch_that_misses_a_question_or_names_no_line_is_asked_again(
    reply: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader, script = readings(monkeypatch, reply, batch(q1=1, q2=0, q3=2))
    record = await reader.lines(*GAME, Condition.FULL, FIVE[:3], 25, NOTHING)
    assert column(record, "lines", "line") == [1, 0, 2]
    assert len(script.heard) == 2


@pytest.mark.parametrize("condition", [Condition.DUMMY, Condition.DECOY, Condition.FULL])
async def test_the_inserted_line_is_the_one_that_names_core_or_decoy(
    condition: Condition, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader, _ = readings(monkeypatch, batch(q1=0))
    row = (await reader.lines(*GAME, condition, FIVE[:1], 25, NOTHING)).rows["lines"][0]
    lines = [str(line) for each in SURVEY.versions[condition].dimensions for line in each.lines]
    phrase = SURVEY.core if condition is Condition.FULL else SURVEY.decoy
    assert phrase in lines[row["inserted"] - 1]
    assert row["of"] == len(lines)


async def test_a_batch_that_stays_invalid_leaves_rows_without_marks_and_the_unit_open(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reader, script = readings(monkeypatch, batch(q1=1, q2=1), "no", "no", "no", batch(q5=2), batch(q3=4, q4=0))
    record = await reader.lines(*GAME, Condition.FULL, FIVE, 2, NOTHING)
    assert column(record, "lines", "line") == [1, 1, None, None, 2]
    assert (record.status, record.error_kind, record.error) == ("error", "reading", "2 of 5 have no valid reply")
    later = await reader.lines(*GAME, Condition.FULL, FIVE, 2, again(record, round=1))
    assert column(later, "lines", "line") == [1, 1, 4, 0, 2]
    assert later.status == "ok"
    assert len(script.heard) == 6  # the two batches that were valid are not asked for again


@pytest.mark.parametrize("batch_size", [2, 25])
async def test_every_reading_is_the_same_from_its_calls(batch_size: int) -> None:
    reader = Readings(scripted("reader", slip=0.3, flip=0.3), CORPUS, DESK, 0.0)

    async def read(before: dict[str, Record]) -> dict[str, Record]:
        recorded = {name: again(record) for name, record in before.items()}
        own = recorded.get
        ways: Sequence[tuple[str, Any]] = [
            ("recognise", reader.recognise(*GAME, [SURVEY.core, "y"], own("recognise", NOTHING))),
            ("mentions", reader.mentions(*GAME, FIVE, CARD, batch_size, own("mentions", NOTHING))),
            ("lines", reader.lines(*GAME, Condition.DECOY, FIVE, batch_size, own("lines", NOTHING))),
            ("tree", reader.tree(*GAME, FIVE, batch_size, own("tree", NOTHING))),
            ("answers", reader.answers(*GAME, FIVE, own("answers", NOTHING))),
        ]
        return {name: await way for name, way in ways}

    first = await read({})
    second = await read(first)
    assert {record.status for record in first.values()} == {"ok"}
    for name, record in first.items():
        assert second[name].rows == record.rows
        assert second[name].calls == record.calls  # with the times at which they were made


async def test_an_endpoint_in_trouble_ends_a_reading_with_what_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    reader, _ = readings(monkeypatch, batch(q1="first", q2="first"), ErrorKind.TIMEOUT)
    record = await reader.mentions(*GAME, FIVE, CARD, 2, NOTHING)
    assert (record.status, record.error_kind) == ("error", "timeout")
    assert column(record, "mentions", "t") == [1, 2]


async def test_parents_that_cannot_be_are_asked_for_once_more_by_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    first = batch(q1=0, q2=2, q3="x", q4=3, q5=-1)
    reader, script = readings(monkeypatch, first, batch(q2=1, q3=7, q5=4))
    record = await reader.tree(*GAME, FIVE, 25, NOTHING)
    assert column(record, "parents", "parent") == [0, 1, None, 3, 4]
    assert column(record, "parents", "repaired") == [False, True, False, False, True]
    assert record.status == "ok"  # an invalid parent is a result
    assert "Name the parents of questions 2, 3, 5." in script.words


async def test_a_tree_reply_that_is_none_is_repaired_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    reader, _ = readings(monkeypatch, "I cannot say.", batch(q1=0, q2=1), batch(q3=2, q4=0), batch(q5=1))
    record = await reader.tree(*GAME, FIVE, 2, NOTHING)
    assert column(record, "parents", "parent") == [0, 1, 2, 0, 1]
    assert column(record, "parents", "repaired") == [True, True, False, False, False]


async def test_a_tree_of_a_fork_has_no_parent_that_was_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    reader, _ = readings(monkeypatch, batch(q4=2, q5=4), batch(q4=0))
    record = await reader.tree(*GAME, FIVE[3:], 25, NOTHING)
    assert column(record, "parents", "parent") == [0, 4]
    assert column(record, "parents", "repaired") == [True, False]


async def test_answers_are_asked_for_on_the_evidence_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    yes, no = '{"answer": "YES"}', '{"answer": "NO"}'
    reader, script = readings(monkeypatch, yes, "maybe", "perhaps", no, "hm", no)
    record = await reader.answers(*GAME, FIVE[:3], NOTHING)
    assert record.rows["answers"] == [{"t": 1, "answer": "YES"}, {"t": 2, "answer": None}, {"t": 3, "answer": "NO"}]
    assert (record.status, record.error_kind) == ("error", "reading")
    assert PAPER.text in script.words
    assert "Is it c?" in script.words
    assert "Is it b?" not in script.words
    later = await reader.answers(*GAME, FIVE[:3], again(record, round=1))
    assert column(later, "answers", "answer") == ["YES", "NO", "NO"]
    assert len(script.heard) == 6


async def test_scripted_answers_are_the_oracles_but_for_flips_and_unknowns() -> None:
    techniques = [each for line in SURVEY.versions["full"].dimensions[0].lines for each in line.techniques]
    name = SURVEY.versions["full"].dimensions[0].name
    asked: list[Turn] = turns(*(f'Regarding "{name}", does the solution use {each}?' for each in techniques))

    async def said(**persona: float) -> list[str]:
        record = await Readings(scripted("a", **persona), CORPUS, DESK, 0.0).answers(*GAME, asked, NOTHING)
        return column(record, "answers", "answer")

    truth = await said()
    assert sorted(set(truth)) in (["NO"], ["NO", "YES"])
    assert await said(flip=1.0) == [{"YES": "NO", "NO": "YES"}[each] for each in truth]
    assert await said(unknown=1.0) == ["UNKNOWN"] * len(truth)
