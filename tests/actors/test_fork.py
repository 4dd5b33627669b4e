"""A game that goes on from another one's turns: what carries over, what is asked, what is left."""

from typing import Any

from seats import CORPUS, DESK, NAMES, NOTHING, again, scripted

from actors.dialogue import Turn
from actors.game import Games, Plan
from actors.inquisitor import Strategy
from actors.record import Record
from actors.survey import Condition

ORACLE = scripted("oracle")
FULL = CORPUS.surveys[NAMES[0]].context(Condition.FULL)


def games(**persona: Any) -> Games:
    return Games(scripted("player", **persona), CORPUS, ORACLE, Strategy(name="plain"), None, DESK, 0.0)


def plan(unit: str, history: tuple[Turn, ...] = (), **more: Any) -> Plan:
    known = {"paper": NAMES[0], "context": FULL, "questions": 25, "card_every": 10}
    return Plan(unit=unit, history=history, **(known | more))


def turns_of(record: Record) -> tuple[Turn, ...]:
    rows = record.rows["turns"]
    return tuple(Turn.model_validate({name: row[name] for name in Turn.model_fields}) for row in rows)


def texts(record: Record) -> list[str]:
    return [row["question"] for row in record.rows["turns"]]


async def test_a_fork_leaves_the_turns_after_the_cut_and_no_card_at_it() -> None:
    play = games(knowledge=0.6)
    source = await play.play(plan("game"), NOTHING)
    fork = await play.play(plan("fork", turns_of(source)[:10]), NOTHING)
    assert [row["t"] for row in fork.rows["turns"]] == list(range(11, 26))
    assert [row["t"] for row in fork.rows["cards"]] == [20, 25]
    assert [row["t"] for row in source.rows["cards"]] == [0, 10, 20, 25]
    assert {call.turn for call in fork.calls} == set(range(11, 26))


async def test_who_hangs_on_the_history_alone_goes_on_as_before() -> None:
    play = games(reference=True)
    source = await play.play(plan("game"), NOTHING)
    fork = await play.play(plan("fork", turns_of(source)[:10]), NOTHING)
    assert fork.rows["turns"] == source.rows["turns"][10:]
    assert fork.rows["cards"] == source.rows["cards"][2:]


async def test_two_forks_of_one_game_are_sampled_afresh_and_repeat_nothing() -> None:
    play = games(knowledge=0.8, skill=0.0)
    source = await play.play(plan("game"), NOTHING)
    history = turns_of(source)[:10]
    one, two = [await play.play(plan(unit, history), NOTHING) for unit in ("fork/0", "fork/1")]
    assert texts(one) != texts(two)
    assert not {turn.question for turn in history} & {*texts(one), *texts(two)}


async def test_a_fork_that_was_cut_short_goes_on_from_its_calls() -> None:
    play = games(knowledge=0.6)
    source = await play.play(plan("game"), NOTHING)
    fork = plan("fork", turns_of(source)[:10], source="game", source_digest=source.digest)
    whole = await play.play(fork, NOTHING)
    resumed = await play.play(fork, again(whole, calls=7))
    assert resumed.rows == whole.rows
    assert resumed.calls[:7] == whole.calls[:7]
    assert len(resumed.calls) == len(whole.calls)
    assert (whole.parent, whole.parent_digest) == ("game", source.digest)
