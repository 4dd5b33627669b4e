"""The scripted answerer, the scripted judge, and the model that seats them."""

import asyncio
from collections import Counter
from collections.abc import Callable
from statistics import mean, stdev

import pytest

from actors.dialogue import Answer, AnswerReply, Card, answer_view, rating_view
from actors.errors import BadInput
from actors.model import Persona
from actors.prompt import Request
from actors.scripted.answerer import answer
from actors.scripted.judge import coverage, rate, stated
from actors.scripted.model import ScriptedModel
from actors.scripted.question import generic_question, technique_question
from actors.scripted.world import World

HOME = "Where counts are kept"
CORE = "signed counters in a cuckoo table"
Build = Callable[..., ScriptedModel]


def idea(contribution: str, *components: str) -> Card:
    return Card(
        t=0, contribution=contribution, approach="-", components=components or ("-",), novelty="-", confidence=50
    )


def told(world: World, technique: str, **dials: float) -> Counter[Answer]:
    persona = Persona.model_validate(dials)
    question = technique_question(HOME, technique)
    return Counter(answer("a", persona, world, question, seed) for seed in range(4000))


def test_answers_are_true_without_flips(world: World) -> None:
    assert told(world, CORE) == {Answer.YES: 4000}
    assert told(world, "plan 00a of its kind") == {Answer.NO: 4000}
    generic = generic_question(HOME, "rest on a proof")
    assert answer("a", Persona(), world, generic, 0) is Answer.UNKNOWN


def test_flips_and_unknowns_come_at_their_rates(world: World) -> None:
    yes = told(world, CORE, flip=0.1, unknown=0.25)
    assert yes[Answer.UNKNOWN] / 4000 == pytest.approx(0.25, abs=0.025)
    assert yes[Answer.NO] / (4000 - yes[Answer.UNKNOWN]) == pytest.approx(0.1, abs=0.02)
    no = told(world, "plan 00a of its kind", flip=1.0)
    assert no == {Answer.YES: 4000}
    assert told(world, CORE, unknown=1.0) == {Answer.UNKNOWN: 4000}


def test_calls_that_share_a_seed_do_not_share_their_errors(world: World) -> None:
    questions = [technique_question("How keys are placed", f"thing {n}") for n in range(2000)]
    flipped = [answer("a", Persona(flip=0.3), world, question, 0) is Answer.YES for question in questions]
    assert mean(flipped) == pytest.approx(0.3, abs=0.04)
    others = [answer("b", Persona(flip=0.3), world, question, 0) is Answer.YES for question in questions]
    assert mean(a and b for a, b in zip(flipped, others, strict=True)) == pytest.approx(0.09, abs=0.03)


def test_coverage_weighs_the_core_like_all_the_rest(world: World) -> None:
    def covered(card: Card) -> float:
        return coverage(world, stated(world, card.model_dump()))

    others = [technique for dimension, technique in world.truth.items() if dimension != HOME]
    assert covered(idea("nothing")) == 0
    assert covered(idea(f"It has {CORE.upper()}.")) == 0.5
    assert covered(idea("nothing", f"It uses {others[0]}.")) == 0.125
    assert covered(idea("nothing", *others)) == 0.5
    assert covered(idea(CORE, *others)) == 1.0


def test_ratings_are_coverage_leniency_and_noise(world: World, scripted: Build, score: Callable[..., int]) -> None:
    others = [technique for dimension, technique in world.truth.items() if dimension != HOME]
    three = idea(CORE, others[0])  # 1 + 9 * 0.625 = 6.625
    assert score(scripted("j"), three) == 7
    assert score(scripted("j", leniency=-1.2), three) == 5
    assert score(scripted("j", leniency=9.0), three) == 10
    assert score(scripted("j", leniency=-9.0), three) == 1
    assert score(scripted("j"), idea(CORE, *others)) == 10
    noisy = [score(scripted("j", noise=1.0), three, seed) for seed in range(800)]
    assert mean(noisy) == pytest.approx(6.625, abs=0.12)
    assert stdev(noisy) == pytest.approx((1 + 1 / 12) ** 0.5, abs=0.1)  # rounding adds 1/12 to the variance


def test_the_rationale_says_what_was_found(world: World) -> None:
    view = rating_view(world.problem, world.solution, idea(CORE))
    card = view["card"]
    assert isinstance(card, dict)
    said = rate("j", Persona(), world, card, 0).rationale
    assert said == "It states 1 of the 5 parts of the solution; among them the central one."


def test_a_reply_invents_no_usage(world: World, scripted: Build) -> None:
    request = Request("answer", answer_view(world.solution, "", "", "Is it fast?"), AnswerReply, 0.0)
    reply = asyncio.run(scripted("a").complete(request))
    assert reply.text == '{"answer":"UNKNOWN"}'
    assert (reply.prompt_tokens, reply.completion_tokens, reply.cached_tokens, reply.cost) == (None, None, None, 0.0)
    assert 0 < reply.latency < 1


def test_unknown_prompts_and_papers_are_bugs(world: World, scripted: Build) -> None:
    stranger = world.solution.model_copy(update={"novelty": "another"})
    with pytest.raises(KeyError):
        asyncio.run(scripted("a").complete(Request("answer", answer_view(stranger, "", "", "x"), AnswerReply, 0.0)))
    with pytest.raises(KeyError, match="extract"):
        asyncio.run(scripted("a").complete(Request("extract", {}, AnswerReply, 0.0)))


def test_papers_that_look_alike_are_refused(world: World, scripted: Build) -> None:
    with pytest.raises(BadInput, match="two papers share"):
        ScriptedModel(scripted("a").spec, [world, world])
