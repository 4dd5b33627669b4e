"""The reference player of highest expected information."""

from collections.abc import Callable
from math import log2
from statistics import mean

import pytest

from actors.dialogue import Answer, Card, Turn
from actors.scripted.belief import PLAYER, Belief
from actors.scripted.information import READER, Reference, information
from actors.scripted.judge import stated
from actors.scripted.lattice import lattice
from actors.scripted.model import ScriptedModel
from actors.scripted.question import technique_question
from actors.scripted.world import World
from actors.survey import Condition, Survey

HOME = "Where counts are kept"
CORE = "signed counters in a cuckoo table"
Build = Callable[..., ScriptedModel]
Play = Callable[..., list[Turn]]


def reached(history: list[Turn]) -> int:
    """The question that names the core; one past the end if none does."""
    core = technique_question(HOME, CORE)
    return next((turn.t for turn in history if turn.question == core), len(history) + 1)


def test_information_is_that_of_the_channel() -> None:
    assert information(0.0, READER) == pytest.approx(0)
    assert information(1.0, READER) == pytest.approx(0)
    noise = -(0.98 * log2(0.98) + 0.02 * log2(0.02))
    assert information(0.5, PLAYER) == pytest.approx(0.9 * (1 - noise))  # UNKNOWN, one in ten, tells nothing
    by_hand = sum(
        p * channel[answer] * log2(channel[answer] / (0.3 * READER.so[answer] + 0.7 * READER.not_so[answer]))
        for p, channel in ((0.3, READER.so), (0.7, READER.not_so))
        for answer in Answer
    )
    assert information(0.3, READER) == pytest.approx(by_hand)
    for channel in (READER, PLAYER):
        assert (sum(channel.so.values()), sum(channel.not_so.values())) == pytest.approx((1, 1))


def test_it_asks_what_tells_it_most(world: World, survey: Survey, play: Play, scripted: Build) -> None:
    reference = Reference("r", world)
    history = play(scripted("r", reference=True), Condition.FULL, 12)
    for t in range(12):
        belief = Belief(history[:t], READER)
        axes = reference.lattice(survey.context(Condition.FULL))
        gains = {q: information(p, READER) for axis in axes for q, p in belief.stand(axis).open}
        assert gains[history[t].question] == max(gains.values())


def test_it_finds_the_core_sooner_than_a_random_player(scripted: Build, play: Play) -> None:
    best = reached(play(scripted("r", reference=True), Condition.FULL, 60))
    random = [
        reached(play(scripted("x", knowledge=0.0, skill=0.0, leave=1.0), Condition.FULL, 100, n)) for n in range(10)
    ]
    assert best <= 40
    assert best < mean(random) * 0.75


def test_under_full_it_recovers_everything(
    world: World, scripted: Build, play: Play, card: Callable[..., Card], score: Callable[..., int]
) -> None:
    model = scripted("r", reference=True)
    history = play(model, Condition.FULL, 90)
    assert len({turn.question for turn in history}) == 90
    assert score(scripted("j"), card(model, history)) == 10


def test_under_decoy_it_learns_the_line_and_not_the_core(
    world: World, scripted: Build, play: Play, card: Callable[..., Card]
) -> None:
    model = scripted("r", reference=True, knowledge=1.0)  # what a model knows is no help to it
    history = play(model, Condition.DECOY, 90)
    assert reached(history) == 91
    written = card(model, history)
    assert not stated(world, written.model_dump())[HOME]
    assert f"Regarding {HOME}, it relies on family plan 02." in written.approach


def test_without_a_survey_it_asks_what_fits_any_solution(
    scripted: Build, play: Play, card: Callable[..., Card]
) -> None:
    model = scripted("r", reference=True)
    history = play(model, Condition.NONE, 130)
    assert len({turn.question for turn in history}) == 130
    assert {turn.answer for turn in history} == {Answer.UNKNOWN}
    assert card(model, history).components == ("No part is settled yet.",)


def test_an_answerer_who_often_does_not_know_does_not_stop_it(
    world: World, scripted: Build, play: Play, card: Callable[..., Card]
) -> None:
    model = scripted("r", reference=True)
    dull = [play(model, Condition.FULL, 90, n, scripted(f"a{n}", unknown=0.2)) for n in range(10)]
    found = [sum(stated(world, card(model, history).model_dump()).values()) for history in dull]
    assert mean(found) > 3.5


def test_unknown_is_mild_evidence_against(world: World) -> None:
    axis = next(axis for axis in lattice(world.outline) if axis.name == HOME)
    unsure = Turn(t=1, question=technique_question(HOME, CORE), answer=Answer.UNKNOWN)
    weights = dict(Belief([unsure], READER).stand(axis).techniques)
    assert weights[CORE] == pytest.approx(0.1 / 0.15)
    assert weights["plan 02a of its kind"] == 1
