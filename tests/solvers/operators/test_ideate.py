"""Ideate: what it proposes is new, can be built, and never nothing; the critic drops, and cannot drop all."""

import asyncio
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pools import TECHNIQUES, WORDS, Answers, Script, attempt, brief, idea, state_of, states

from actors.ask import parsed
from actors.chat import strict_schema
from actors.prompt import Request
from actors.recorded import Recorded
from actors.row import Row
from solvers.idea import Idea, Kind, Source
from solvers.operators.council import Council
from solvers.operators.ideate import (
    Ideation,
    SketchesSaid,
    SketchSaid,
    Verdict,
    Verdicts,
    ideate,
    plain_proposals,
    sentences,
)
from solvers.operators.operator import Payload
from solvers.operators.views import normal
from solvers.scripted.ideate import RULES
from solvers.state import State

NOTHING: Payload = {"least": 2, "known": [], "refused": []}
SKETCH = {"title": "Wide digits", "short_hypothesis": "Fewer passes.", "abstract": "Eight bits.", "experiments": []}


def proposal(title: str, *techniques: str) -> SketchSaid:
    return SketchSaid(title=title, short_hypothesis="h", abstract="a", techniques=techniques)


def sound(state: State, ideas: list[Idea], count: int) -> None:
    """What holds of new ideas, whoever proposed them."""
    assert 1 <= len(ideas) <= count
    first = len(state.ideas) + 1
    assert [one.id for one in ideas] == [f"i{number:03d}" for number in range(first, first + len(ideas))]
    assert {(one.source, one.kind, one.iteration) for one in ideas} == {(Source.IDEATOR, Kind.SEED, state.iteration)}
    titles = [normal(one.title) for one in ideas]
    assert len(set(titles)) == len(titles)
    assert not {*titles} & {normal(one.title) for one in state.ideas.values()}
    known = {name for name, _ in state.task.techniques}
    for one in ideas:
        assert bool(one.techniques) == bool(known)
        assert len(set(one.techniques)) == len(one.techniques)
        assert {*one.techniques} <= known


PROPOSALS = st.builds(
    SketchesSaid,
    ideas=st.lists(
        st.builds(
            SketchSaid,
            title=st.sampled_from([*WORDS, "Digits!", "idea  1", "digits cache"]),
            short_hypothesis=st.just("h"),
            abstract=st.just("a"),
            techniques=st.lists(st.sampled_from(["a", "b", "z"]), max_size=3).map(tuple),
        ),
        max_size=12,
    ).map(tuple),
)
VERDICTS = st.builds(
    Verdicts,
    verdicts=st.lists(
        st.builds(Verdict, number=st.integers(1, 4), reason=st.just("r"), feasible=st.booleans()), max_size=4
    ).map(tuple),
)


@settings(max_examples=40, deadline=None)
@given(states(), st.integers(1, 8), PROPOSALS, VERDICTS)
def test_any_reply_is_refused_or_makes_sound_ideas(
    state: State, count: int, proposals: SketchesSaid, verdicts: Verdicts
) -> None:
    replies: dict[str, Row] = {"ideate": proposals, "critic": verdicts}
    answers = Answers(lambda name, _: replies[name])
    ideas = asyncio.run(ideate(answers, state, count, "00.ideate"))
    sound(state, ideas, count)
    parts = ["00.ideate", "00.ideate.critic", "00.ideate.again", "00.ideate.again.critic"]
    assert list(answers.asked) == parts[: len(answers.asked)]
    rows = rounds(state)
    assert sum(row.kept for row in rows) == len(ideas)
    assert len(rows) == 1 + (rows[0].kept < count)
    assert all(row.dropped + row.refused + row.kept <= row.proposed for row in rows)


@settings(max_examples=40, deadline=None)
@given(states(), st.integers(1, 12), st.integers(0, 2**31))
def test_without_a_model_and_by_rule_there_are_always_ideas(state: State, count: int, seed: int) -> None:
    fallback = asyncio.run(ideate(Answers(), state, count, "p"))
    assert len(fallback) == count
    sound(state, fallback, count)
    ruled = Answers(lambda name, payload: RULES[name](payload, seed))
    ideas = asyncio.run(ideate(ruled, state, count, "p"))
    sound(state, ideas, count)
    assert ruled.problems == []
    assert {table for table, _, _ in state.rows} == {"ideations"}
    again = asyncio.run(ideate(Answers(lambda name, payload: RULES[name](payload, seed)), state, count, "p"))
    assert again == ideas


async def test_the_critic_drops_what_it_finds_infeasible() -> None:
    verdicts = (Verdict(number=2, reason="no", feasible=False), Verdict(number=1, reason="yes", feasible=True))
    replies: dict[str, Row] = {
        "ideate": SketchesSaid(ideas=(proposal("one"), proposal("two"))),
        "critic": Verdicts(verdicts=verdicts),
    }
    ideas = await ideate(Answers(lambda name, _: replies[name]), state_of(), 2, "p")
    assert [one.title for one in ideas] == ["one"]


def rounds(state: State) -> list[Ideation]:
    return [row for _, row, _ in state.rows if isinstance(row, Ideation)]


async def test_what_the_critic_refuses_is_asked_for_once_more_and_every_round_is_a_row() -> None:
    said = {1: ("one", "two", "three"), 2: ("two", "four", "five", "six")}

    def say(name: str, payload: Payload) -> Row:
        if name == "ideate":
            return SketchesSaid(ideas=tuple(proposal(title) for title in said[payload["round"]]))
        kept = {"one", "four"}
        rows = [(one["number"], one["title"] in kept) for one in payload["proposals"]]
        return Verdicts(verdicts=tuple(Verdict(number=n, reason="why", feasible=ok) for n, ok in rows))

    answers, state = Answers(say), state_of()
    assert [one.title for one in await ideate(answers, state, 3, "p")] == ["one", "four"]
    _, again = answers.asked["p.again"]
    assert (again["count"], again["least"]) == (2, 0)
    assert [one["title"] for one in again["known"]] == ["one"]
    assert again["refused"] == [{"title": "two", "reason": "why"}, {"title": "three", "reason": "why"}]
    assert [one["title"] for one in answers.asked["p.again.critic"][1]["proposals"]] == ["four", "five", "six"]
    own = {"iteration": 1, "fallback": False, "critic_fallback": False}
    assert rounds(state) == [
        Ideation(round=1, asked=3, proposed=3, dropped=0, refused=2, kept=1, **own),
        Ideation(round=2, asked=2, proposed=4, dropped=1, refused=2, kept=1, **own),
    ]


async def test_a_second_round_brings_nothing_that_a_rule_made_and_need_bring_nothing() -> None:
    def say(name: str, payload: Payload) -> Row | None:
        if name == "ideate" and payload["round"] == 1:
            return SketchesSaid(ideas=(proposal("one"), proposal("two")))
        return None

    answers, state = Answers(say), state_of()
    assert [one.title for one in await ideate(answers, state, 5, "p")] == ["one", "two"]
    assert list(answers.asked) == ["p", "p.critic", "p.again"]
    assert [(row.fallback, row.critic_fallback, row.kept) for row in rounds(state)] == [
        (False, True, 2),
        (True, False, 0),
    ]


@pytest.mark.parametrize(
    ("verdicts", "problem"),
    [
        ([(1, False), (2, False)], "no proposal was kept; keep at least the most feasible one"),
        ([(1, True)], "each of the numbers 1 to 2 needs exactly one verdict; the numbers were [1]"),
        ([(1, True), (1, True), (2, True)], "each of the numbers 1 to 2 needs exactly one verdict"),
    ],
)
async def test_a_critic_that_drops_all_or_forgets_one_is_not_heard(
    verdicts: list[tuple[int, bool]], problem: str
) -> None:
    said = Verdicts(verdicts=tuple(Verdict(number=number, reason="", feasible=kept) for number, kept in verdicts))
    replies: dict[str, Row] = {"ideate": SketchesSaid(ideas=(proposal("one"), proposal("two"))), "critic": said}
    answers = Answers(lambda name, _: replies[name])
    assert [one.title for one in await ideate(answers, state_of(), 2, "p")] == ["one", "two"]
    assert len(answers.problems) == 1
    assert answers.problems[0].startswith(problem)


async def test_titles_in_the_pool_repeats_and_what_cannot_be_built_are_dropped() -> None:
    state = state_of(idea(1, "Wide digits", ("a",)), techniques=2)
    said = (
        proposal("wide DIGITS.", "b"),
        proposal("prefetch", "b", "z", "b"),
        proposal("Prefetch!", "a"),
        proposal("nothing known", "z"),
        proposal("both", "b", "a"),
    )
    answers = Answers(lambda name, _: SketchesSaid(ideas=said) if name == "ideate" else None)
    made = await ideate(answers, state, 5, "p")
    assert [(one.id, one.title, one.techniques) for one in made] == [
        ("i002", "prefetch", ("b",)),
        ("i003", "both", ("b", "a")),
    ]


async def test_the_ideator_sees_the_pool_and_what_was_best_and_worst() -> None:
    ideas = [idea(number) for number in range(1, 9)]
    scores = {1: 0.5, 2: None, 3: 0.9, 4: 0.1234, 5: 0.6, 6: 0.2}
    tried = tuple(attempt(number, f"i{number:03d}", score) for number, score in scores.items())
    answers = Answers()
    await ideate(answers, state_of(*ideas, attempts=tried), 2, "p")
    _, payload = answers.asked["p"]
    assert [one["id"] for one in payload["known"]] == [one.id for one in ideas]
    assert [(one["id"], one["score"]) for one in payload["best"]] == [("i003", 90.0), ("i005", 60.0), ("i001", 50.0)]
    assert [(one["id"], one["score"]) for one in payload["worst"]] == [("i002", None), ("i004", 12.3), ("i006", 20.0)]


async def test_no_ideas_are_asked_for_so_nobody_is() -> None:
    answers = Answers()
    assert await ideate(answers, state_of(), 0, "p") == []
    assert answers.asked == {}


def test_a_reply_may_say_more_than_was_asked_and_leave_out_what_has_a_default() -> None:
    trial = {"hypothesis": "h", "steps": ["s"], "cost": 3}
    text = json.dumps({"ideas": [{**SKETCH, "experiments": [trial], "novelty": "high"}], "notes": ""})
    reply = parsed(text, SketchesSaid)
    assert reply is not None
    assert (reply.ideas[0].title, reply.ideas[0].techniques, reply.ideas[0].risks) == ("Wide digits", (), "")
    assert parsed('{"ideas": [{"title": "x"}]}', SketchesSaid) is None
    properties = strict_schema(SketchesSaid, None)["properties"]["ideas"]["items"]
    assert properties["required"] == list(properties["properties"])


async def test_a_long_abstract_is_cut_to_two_hundred_words() -> None:
    said = [proposal(title).model_dump() | {"abstract": "word " * 300} for title in ("one", "two")]
    reply = SketchesSaid.model_validate({"ideas": said})
    made = await ideate(Answers(lambda name, _: reply if name == "ideate" else None), state_of(), 2, "p")
    assert {len(one.abstract.split()) for one in made} == {200}


async def test_a_council_asks_again_with_the_mistake_and_keeps_both_calls() -> None:
    lines = [
        json.dumps({"ideas": [SKETCH, SKETCH]}),
        json.dumps({"ideas": [SKETCH, {**SKETCH, "title": "Prefetching"}]}),
        json.dumps({"verdicts": [{"number": n, "reason": "", "feasible": n == 2} for n in (1, 2)]}),
        json.dumps({"ideas": []}),
    ]
    model = Script(lambda request: lines.pop(0))
    council = Council("unit", model, Recorded(), None)
    made = await ideate(council, state_of(), 2, "00.ideate")
    assert [one.title for one in made] == ["Prefetching"]
    assert [(call.part, call.seat) for call in council.calls] == [
        ("00.ideate", "ideate"),
        ("00.ideate", "ideate"),
        ("00.ideate.critic", "critic"),
        ("00.ideate.again", "ideate"),
    ]
    said = [request.messages()[1]["content"] for request in model.requests]
    assert "fewer than 2 of the 2 ideas had a title that is new" in said[1]
    assert "could not be used" not in said[0]
    assert "# Proposals that were refused before\n- Wide digits: not feasible\n" in said[3]
    assert "At least one proposal has to be kept" in said[2]


async def test_a_manager_by_rule_plays_behind_a_council() -> None:
    def ruled(request: Request) -> str:
        values: Payload = request.values
        return RULES[request.prompt](values, request.seed).model_dump_json()

    made = await ideate(Council("unit", Script(ruled), Recorded(), None), state_of(techniques=6), 10, "00.ideate")
    assert len(made) == 10
    assert {len(one.techniques) for one in made} == {1, 2, 3}
    assert len({frozenset(one.techniques) for one in made}) == 10


async def test_the_scripted_ideator_goes_on_from_what_was_best() -> None:
    state = state_of(idea(1, "x", ("a",)), attempts=(attempt(1, "i001", 0.9),), techniques=6)
    made = await ideate(Answers(lambda name, payload: RULES[name](payload, 3)), state, 6, "p")
    assert sum("a" in one.techniques for one in made) >= 3


def test_an_idea_from_techniques_says_what_they_do() -> None:
    known = dict(TECHNIQUES[:2])
    made = plain_proposals({"task": brief(2).model_dump(mode="json"), "count": 3, **NOTHING}).ideas
    assert [one.techniques for one in made] == [("a",), ("b",), ("a", "b")]
    assert all(known[name] in one.abstract for one in made for name in one.techniques)


def test_a_text_is_read_sentence_by_sentence_without_its_headings() -> None:
    text = "Sort keys fast, please. Count first, then move.\n\n# A long heading here\n\n- Use **one thread** only."
    said = ["Sort keys fast, please.", "Count first, then move.", "Use one thread only."]
    assert sentences({"brief": "", "instruction": text}) == said
    assert sentences({"brief": text, "instruction": "Something else than the rest."}) == said
    assert len(sentences({"brief": "", "instruction": ""})) == 1
