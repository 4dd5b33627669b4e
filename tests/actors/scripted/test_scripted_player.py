"""The scripted inquisitor: what it asks, what it writes down, and that its dials turn what they say."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise, product
from statistics import mean

import pytest

from actors.dialogue import Answer, Card, QuestionReply, Turn, question_view
from actors.inquisitor import broken_rules
from actors.prompt import Request
from actors.scripted.belief import PLAYER, Belief
from actors.scripted.card import Manner, write_card
from actors.scripted.chance import generator
from actors.scripted.inquisitor import own_knowledge
from actors.scripted.judge import coverage, stated
from actors.scripted.lattice import Axis, lattice
from actors.scripted.model import ScriptedModel
from actors.scripted.question import parse, technique_question
from actors.scripted.world import World
from actors.survey import Condition, Survey

Build = Callable[..., ScriptedModel]
Play = Callable[..., list[Turn]]
HOME = "Where counts are kept"
CORE = "signed counters in a cuckoo table"


def recovered(world: World, card: Card) -> float:
    return coverage(world, stated(world, card.model_dump()))


def leaves(history: list[Turn]) -> int:
    """How often the dimension changes from one question to the next."""
    names = [query.dimension if (query := parse(turn.question)) else "" for turn in history]
    return sum(a != b for a, b in pairwise(names))


def test_same_request_and_seed_give_the_same_bytes(world: World, survey: Survey, scripted: Build) -> None:
    view = question_view(world.problem, survey.context(Condition.FULL), (), "", None)

    def text(seed: int) -> str | None:
        request = Request("question", view, QuestionReply, 1.0, seed)
        return asyncio.run(scripted("a", skill=0.0).complete(request)).text

    assert text(3) == text(3)
    assert len({text(seed) for seed in range(50)}) > 20


def test_a_game_is_the_same_with_every_cache_empty(scripted: Build, play: Play) -> None:
    dials = {"knowledge": 0.6, "skill": 0.5, "leave": 0.3}
    kept = play(scripted("a", **dials), Condition.DUMMY, 60)
    assert play(lambda: scripted("a", **dials), Condition.DUMMY, 60) == kept


@pytest.mark.parametrize("condition", [Condition.NONE, Condition.FULL])
def test_no_question_repeats_at_the_extremes(scripted: Build, play: Play, condition: Condition) -> None:
    for knowledge, skill, leave in product((0.0, 1.0), repeat=3):
        model = scripted("a", knowledge=knowledge, skill=skill, leave=leave)
        history = play(model, condition, 130)
        assert len({turn.question for turn in history}) == 130, (knowledge, skill, leave)
        assert [turn.question for turn in history if broken_rules(turn.question, set())] == []


def test_a_player_that_knows_nothing_learns_nothing(scripted: Build, play: Play, card: Callable[..., Card]) -> None:
    model = scripted("a", knowledge=0.0)
    history = play(model, Condition.NONE, 150)  # past the last generic question
    assert {turn.answer for turn in history} == {Answer.UNKNOWN}
    written = card(model, history)
    assert written.components == ("No part is settled yet.",)
    assert written.confidence == 0


def test_own_knowledge_is_a_share_of_the_lattice_and_more_knowledge_holds_all_of_less(world: World) -> None:
    def known(knowledge: float, key: str) -> set[str]:
        own = own_knowledge(knowledge, replace(world, key=key))
        return {each for families in own.values() for techniques in families.values() for each in techniques}

    everything = 5 * 4 * 3 + 1
    assert (len(known(0.0, "k")), len(known(1.0, "k"))) == (0, everything)
    assert mean(len(known(0.3, f"k{n}")) for n in range(100)) == pytest.approx(0.3 * everything, rel=0.06)
    assert known(0.3, "k") < known(0.5, "k") < known(0.8, "k")
    assert known(0.5, "k") != known(0.5, "l")


def test_skill_and_knowledge_order_the_players(
    world: World, scripted: Build, play: Play, card: Callable[..., Card]
) -> None:
    def final(name: str, condition: Condition, **dials: float) -> float:
        games = []
        for n in range(12):
            model = scripted(f"{name}{n}", leave=0.3, **dials)
            games.append(recovered(world, card(model, play(model, condition, 25), n)))
        return mean(games)

    by_knowledge = [final("k", Condition.NONE, knowledge=k, skill=0.8) for k in (0.1, 0.5, 0.95)]
    assert by_knowledge[0] + 0.15 < by_knowledge[1] < by_knowledge[2] - 0.15
    by_skill = [final("s", Condition.FULL, knowledge=0.5, skill=s) for s in (0.0, 0.5, 1.0)]
    assert by_skill[0] + 0.1 < by_skill[1] < by_skill[2] - 0.1


def test_leaving_shows_in_the_changes_of_branch(scripted: Build, play: Play) -> None:
    always = play(scripted("a", knowledge=1.0, skill=0.5, leave=1.0), Condition.FULL, 40)
    never = play(scripted("a", knowledge=1.0, skill=0.5, leave=0.0), Condition.FULL, 40)
    assert leaves(always) == 39
    assert leaves(never) <= 6  # five dimensions, each left when it is settled or asked out


def test_a_decoy_hides_the_core_and_full_shows_it(
    world: World, scripted: Build, play: Play, card: Callable[..., Card]
) -> None:
    model = scripted("a", knowledge=0.0, skill=0.9)
    full, decoy = play(model, Condition.FULL), play(model, Condition.DECOY)
    assert CORE in card(model, full).contribution
    assert not stated(world, card(model, decoy).model_dump())[HOME]
    home = 'Regarding "Where counts are kept", does the solution rely on family plan 02?'
    assert {turn.question: turn.answer for turn in decoy}[home] is Answer.YES


def test_the_card_knows_nothing_of_a_survey_that_was_not_asked_about(world: World) -> None:
    own = lattice({dimension: {} for dimension in world.outline})
    blank = write_card(world, own, [], PLAYER, Manner(1.0), generator(0))
    assert "".join([blank.contribution, blank.approach, *blank.components, blank.novelty]).count("plan") == 0
    asked = Turn(t=1, question=technique_question(HOME, CORE), answer=Answer.YES)
    told = write_card(world, own, [asked], PLAYER, Manner(), generator(0))
    assert told.contribution == f"A method built on {CORE}."
    assert told.approach == f"Regarding {HOME}, it relies on family plan 02."
    assert told.confidence == round(100 * 49 / (49 + 0.5 + 1) / 5)


def test_belief_follows_bayes(world: World) -> None:
    axis = next(axis for axis in lattice(world.outline) if axis.name == HOME)
    family = axis.families[2]
    told = [
        Turn(t=1, question=family.question, answer=Answer.YES),
        Turn(t=2, question=family.techniques[0].question, answer=Answer.NO),
        Turn(t=3, question=family.techniques[2].question, answer=Answer.UNKNOWN),
        Turn(t=4, question=family.question, answer=Answer.NO),  # a repeat counts for nothing
    ]
    stand = Belief(told, PLAYER).stand(axis)
    inside = 49 * 0.5 + 49 / 49 + 3 * 49  # another one, the rejected, and the three that are open
    total = inside + 3 * (0.5 + 3) + 1
    assert stand.total == pytest.approx(total)
    assert dict(stand.families)["family plan 02"] == pytest.approx(inside)
    assert dict(stand.techniques)["plan 02a of its kind"] == pytest.approx(1)
    assert dict(stand.open)[technique_question(HOME, CORE)] == pytest.approx(49 / total)
    assert len(stand.open) == 4 + 13 - 3
    assert not stand.settled
    sure = [*told, Turn(t=5, question=technique_question(HOME, CORE), answer=Answer.YES)]
    assert Belief(sure, PLAYER).stand(axis).settled
    assert Belief([], PLAYER).stand(Axis("empty", ())).settled
