"""Asking again: what counts as a reply, how often, and that what is recorded is never asked twice."""

from collections.abc import Sequence

import pytest

from actors.answerer import answer
from actors.ask import ask, parsed
from actors.dialogue import Answer, Card, QuestionReply, RatingReply
from actors.errors import ErrorKind, UnitFault
from actors.inquisitor import Inquisitor, Strategy, broken_rules
from actors.judge import Judge
from actors.model import Reply, Spec
from actors.paper import read_paper
from actors.prompt import Request
from actors.recorded import Call
from actors.replay import Tape
from pipelines.settings import ROOT

PAPER = read_paper(ROOT / "datasets/papers/batch-normalization.md")
CARD = Card(t=0, contribution="the idea", approach="a way", components=("a part",), novelty="all new", confidence=73)


class Script:
    """A model that says its lines in order; an ErrorKind is an endpoint that fails that way."""

    def __init__(self, lines: Sequence[str | ErrorKind]) -> None:
        self.spec = Spec(name="script", model="x/y", family="script")
        self.lines = list(lines)
        self.seeds: list[int] = []

    async def complete(self, request: Request) -> Reply:
        self.seeds.append(request.seed)
        line = self.lines.pop(0)
        if isinstance(line, ErrorKind):
            return Reply(text=None, latency=0.0, error_kind=line, error="it failed")
        return Reply(text=line, latency=0.0)


def question(text: str) -> str:
    return QuestionReply(question=text).model_dump_json()


async def next_question(script: Script, tape: Tape) -> tuple[str, tuple[str, ...], int]:
    asked = await Inquisitor(script, Strategy(name="plain")).ask(tape, PAPER.problem, None, [], 10, set())
    return asked.reply.question, asked.flags, asked.samples


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ('{"rationale": "r", "score": 4}', 4),
        ('Here it is:\n```json\n{"rationale": "r", "score": 10}\n```', 10),
        ('<think>{"rationale": "r", "score": 1}</think> {x} {"rationale": "r", "score": 7}', 7),
        ('{"rationale": "draft", "score": 2}. No: {"rationale": "r", "score": 7} {"score": 3}', 7),
        ('{"result": {"rationale": "r", "score": 2}}', 2),
        ('{"a":' * 5000, None),
        ("{" * 300_000, None),
        ('{"rationale": "r", "score": 0}', None),
        ('{"rationale": "r", "score": 11}', None),
        ('{"rationale": "r", "score": 4', None),
        ('{"rationale": " ", "score": 4}', None),
        ('{"rationale": "r", "score": 4, "more": 1}', None),
        ("4", None),
        ("", None),
    ],
)
def test_what_counts_as_a_rating(text: str, score: int | None) -> None:
    reply = parsed(text, RatingReply)
    assert (reply.score if reply else None) == score


async def test_a_question_that_breaks_a_rule_is_sampled_at_most_three_times_and_kept_with_its_flags() -> None:
    script = Script([question("What is it?"), question(""), question("Why and how?"), question("never asked")])
    assert await next_question(script, Tape("u")) == ("Why and how?", ("not_yes_no", "compound"), 3)
    assert len(script.lines) == 1


async def test_the_first_good_sample_is_taken() -> None:
    script = Script([question("What is it?"), question("Is it a tree?")])
    assert await next_question(script, Tape("u")) == ("Is it a tree?", (), 2)


async def test_each_sample_has_a_seed_of_its_own_that_hangs_on_the_place_alone() -> None:
    first, second = Script([question("")] * 3), Script([question("")] * 3)
    await next_question(first, Tape("u"))
    await next_question(second, Tape("u"))
    assert first.seeds == second.seeds
    assert len(set(first.seeds)) == 3
    other = Script([question("")] * 3)
    await next_question(other, Tape("v"))
    assert set(other.seeds).isdisjoint(first.seeds)


async def test_what_is_recorded_is_replayed_and_not_asked() -> None:
    tape = Tape("u")
    await next_question(Script([question("What is it?"), question("Is it a tree?")]), tape)
    again = Tape("u", recorded=tape.calls)
    assert await next_question(Script([]), again) == ("Is it a tree?", (), 2)
    assert again.calls == tape.calls


async def test_a_call_that_failed_is_made_again_with_the_seed_it_would_have_had() -> None:
    tape = Tape("u")
    with pytest.raises(UnitFault) as fault:
        await next_question(Script([ErrorKind.TIMEOUT]), tape)
    assert fault.value.kind is ErrorKind.TIMEOUT
    script = Script([question("Is it a tree?")])
    again = Tape("u", round=1, recorded=tape.calls)
    assert (await next_question(script, again))[0] == "Is it a tree?"
    undisturbed = Script([question("Is it a tree?")])
    await next_question(undisturbed, Tape("u"))
    assert script.seeds == undisturbed.seeds
    assert [(call.attempt, call.reply.error_kind) for call in again.calls] == [(0, "timeout"), (1, None)]


async def test_a_rating_is_asked_for_three_times_then_null_and_refilled_in_the_next_round_only() -> None:
    tape = Tape("u")
    assert (await Judge(Script(["4", "5", "6"])).rate(tape, PAPER, CARD)).score is None
    assert [call.reply.error_kind for call in tape.calls] == ["invalid"] * 3
    same_round = Tape("u", round=0, recorded=tape.calls)
    assert (await Judge(Script([])).rate(same_round, PAPER, CARD)).score is None
    next_round = Tape("u", round=1, recorded=tape.calls)
    rating = await Judge(Script(["7", '{"rationale": "r", "score": 8}'])).rate(next_round, PAPER, CARD)
    assert rating.score == 8
    assert [call.attempt for call in next_round.calls] == [0, 1, 2, 3, 4]


async def test_a_later_round_gives_an_untouched_turn_no_more_attempts_than_the_first() -> None:
    script = Script(["no"] * 9)
    with pytest.raises(UnitFault):
        await answer(Tape("u", round=2), script, "Is it a tree?", 1)
    assert len(script.lines) == 9 - 2


async def test_a_reply_is_replayed_only_after_the_calls_it_was_made_after() -> None:
    """Two drivers played one unit beside each other, and both died: one history goes on, the other is kept apart."""
    one, two = Tape("u"), Tape("u")
    await next_question(Script([question("Is it a tree?")]), one)
    await answer(one, Script(['{"answer": "YES"}']), "Is it a tree?", 1)
    await next_question(Script([question("Is it a bush?")]), two)
    tape = Tape("u", recorded=[*two.calls, *one.calls[1:]])
    assert (await next_question(Script([]), tape))[0] == "Is it a bush?"
    script = Script(['{"answer": "NO"}'])
    assert await answer(tape, script, "Is it a bush?", 1) is Answer.NO
    assert script.lines == []
    assert [(call.seat, call.used) for call in tape.rest()] == [("answer", False)]


async def test_a_judge_whose_endpoint_fails_gives_no_null_but_a_fault() -> None:
    with pytest.raises(UnitFault) as fault:
        await Judge(Script([ErrorKind.SERVER])).rate(Tape("u"), PAPER, CARD)
    assert fault.value.kind is ErrorKind.SERVER


async def test_a_card_that_never_has_the_shape_is_a_fault_of_its_own_kind() -> None:
    request = Request("rating", {}, RatingReply, 0.0)
    with pytest.raises(UnitFault) as fault:
        await ask(Tape("u"), Script(["no"] * 2), request, RatingReply, "rating", 0, 2)
    assert fault.value.kind is ErrorKind.INVALID


async def test_lost_starts_are_counted_on_the_call_that_is_made_again() -> None:
    tape = Tape("u", starts=[("question", 1, 0), ("question", 1, 0), ("card", 0, 0)])
    await next_question(Script([question("Is it a tree?")]), tape)
    assert [call.lost for call in tape.calls] == [2]


def test_a_call_survives_its_way_to_disk_and_back() -> None:
    reply = Reply(text="x", latency=0.5, cost=None)
    call = Call(seat="card", turn=3, attempt=1, round=2, caller="m", prompt="p", reply=reply, started_at=1.5)
    assert Call.model_validate_json(call.model_dump_json()) == call


@pytest.mark.parametrize(
    ("text", "flags"),
    [
        ("Does the method use attention?", []),
        ("In the solution, does the encoder share weights with the decoder?", []),
        ("Is normalisation applied before or after the nonlinearity?", []),
        ("Can it be trained end to end, without a teacher?", []),
        ("When training, does the method use noise?", []),
        ("Does it train in stages and have low cost?", []),
        ("In the solution, which optimizer is used?", ["not_yes_no"]),
        ("In the method, how is it trained?", ["not_yes_no"]),
        ("", ["empty"]),
        ("?!", ["empty"]),
        ("What does the method use?", ["not_yes_no"]),
        ("How is it trained?", ["not_yes_no"]),
        ("The method uses attention", ["not_yes_no"]),
        ("Does it use attention? Does it use memory?", ["compound"]),
        ("Does it use attention and is it trained end to end?", ["compound"]),
        ("does the METHOD use a tree", ["not_yes_no", "repeat"]),
        ("Does the method use a tree?", ["repeat"]),
    ],
)
def test_rules_of_form(text: str, flags: list[str]) -> None:
    assert broken_rules(text, {"does the method use a tree"}) == flags


async def test_samples_count_the_replies_that_had_no_shape_too() -> None:
    script = Script([question("no question"), "junk", "junk"])
    assert await next_question(script, Tape("u")) == ("no question", ("not_yes_no",), 3)
