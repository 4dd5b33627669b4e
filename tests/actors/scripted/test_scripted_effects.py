"""Every dial that sets an effect does, and at its default sets none."""

import asyncio
from collections.abc import Callable
from statistics import mean
from typing import Any

import pytest
import yaml
from seats import CORPUS

from actors.dialogue import (
    Answer,
    CandidatesReply,
    Card,
    PickReply,
    Turn,
    candidates_reply,
    candidates_view,
    pick_reply,
    pick_view,
)
from actors.model import Persona
from actors.prompt import Request
from actors.scripted.answerer import answer
from actors.scripted.inquisitor import Player
from actors.scripted.judge import stated
from actors.scripted.model import ScriptedModel
from actors.scripted.question import line_question, parse, technique_question
from actors.scripted.tree import branches
from actors.scripted.world import World, build_worlds
from actors.survey import Condition
from pipelines.settings import ROOT

Build = Callable[..., ScriptedModel]
Play = Callable[..., list[Turn]]
Write = Callable[..., Card]
KEPT = "Where counts are kept"
LINE, TECHNIQUE = line_question(KEPT, "family plan 00"), technique_question(KEPT, "plan 00a of its kind")
OFTEN = range(30)


def said(model: ScriptedModel, request: Request) -> str:
    return asyncio.run(model.complete(request)).text or ""


def picks(model: ScriptedModel, world: World, history: list[Turn], *proposals: str) -> set[int]:
    view, reply = pick_view(world.problem, history, proposals), pick_reply(len(proposals))
    replies = (said(model, Request("pick", view, reply, 1.0, seed)) for seed in OFTEN)
    return {PickReply.model_validate_json(each).position for each in replies}


def candidates(model: ScriptedModel, world: World, seed: int = 0) -> tuple[str, ...]:
    request = Request("candidates", candidates_view(world.problem, 10), candidates_reply(10), 1.0, seed)
    return CandidatesReply.model_validate_json(said(model, request)).candidates


def persona(name: str) -> Persona:
    return Persona.model_validate(yaml.safe_load((ROOT / "conf" / "model" / f"{name}.yaml").read_text())["persona"])


def breadth(name: str, world: World, replicate: int) -> int:
    """Top-level branches of a game of a hundred questions."""
    player, history = Player(name, persona(name), world), list[Turn]()
    for t in range(1, 101):
        seed = 1000 * replicate + t
        question = player.ask(None, history, seed)
        told = answer("oracle", Persona(), world, question, seed)
        history.append(Turn(t=t, question=question, answer=told))
    return branches(world, [(turn.t, turn.question) for turn in history])


def test_skill_picks_what_is_least_foreseeable(world: World, scripted: Build) -> None:
    skilled = scripted("a", knowledge=1.0, skill=1.0)
    assert picks(skilled, world, [], TECHNIQUE, LINE, "Is it so?") == {2}
    yes = [Turn(t=1, question=LINE, answer=Answer.YES)]
    assert picks(skilled, world, yes, LINE, TECHNIQUE, "Is it so?") == {2}  # the line was asked before
    assert picks(skilled, world, [], LINE, LINE) == {1, 2}
    assert picks(scripted("a", skill=0.0), world, [], TECHNIQUE, LINE, "Is it so?") == {1, 2, 3}


def test_a_selector_understands_what_it_did_not_know(world: World, scripted: Build) -> None:
    blank = scripted("a", knowledge=0.0, skill=1.0)
    assert picks(blank, world, [], "Is it so?", LINE) == {2}


def test_the_reference_player_picks_what_tells_it_something(world: World, scripted: Build) -> None:
    told = [Turn(t=1, question=LINE, answer=Answer.YES)]
    assert picks(scripted("a", reference=True), world, told, LINE, "Is it so?", TECHNIQUE) == {3}


def test_who_knows_the_core_lists_it_and_who_does_not_never_does(world: World, scripted: Build) -> None:
    core = world.truth[world.core]

    def listed(**dials: Any) -> int:
        return sum(core in each for seed in OFTEN for each in candidates(scripted("a", **dials), world, seed))

    assert listed(knowledge=0.0) == 0
    assert listed(knowledge=1.0) == pytest.approx(300 / 13, abs=12)  # thirteen techniques on the core's dimension
    assert candidates(scripted("a", reference=True), world) == ("Nothing comes to mind.",) * 10
    shares = [listed(knowledge=step / 10) for step in range(11)]
    known = [share > 0 for share in shares]
    assert known == sorted(known)


def test_three_players_open_few_middling_and_many_branches() -> None:
    worlds = build_worlds(CORPUS.papers.values(), CORPUS.surveys, CORPUS.seed)
    opened = {
        name: mean(breadth(name, world, replicate) for world in worlds for replicate in range(4))
        for name in ("delver", "steady", "rover")
    }
    assert opened["delver"] == pytest.approx(5.5, abs=1.0)
    assert opened["steady"] == pytest.approx(8.0, abs=1.5)
    assert opened["rover"] == pytest.approx(14.0, abs=2.0)


def test_a_card_loses_parts_with_the_distance_from_the_peak(
    world: World, scripted: Build, play: Play, card: Write
) -> None:
    dials = {"knowledge": 1.0, "skill": 1.0, "leave": 0.3}
    plain = scripted("a", **dials)
    history = play(plain, Condition.NONE)
    opened = branches(world, [(turn.t, turn.question) for turn in history])

    def parts(peak: float | None) -> float:
        model = scripted("a", **dials, peak=peak)
        cards = [card(model, history, seed).model_dump() for seed in range(200)]
        return mean(sum(stated(world, each).values()) for each in cards) / len(world.truth)

    assert parts(None) == parts(opened) == 1.0
    assert parts(opened + 5) == pytest.approx(1 - 0.25, abs=0.05)
    assert parts(opened + 10) == 0.0
    player = scripted("a", peak=4.0).player(world.problem)
    assert isinstance(player, Player)
    assert player.lost([]) == pytest.approx(0.16)


def test_a_rut_is_what_the_first_ten_questions_make_it(world: World, scripted: Build, play: Play, card: Write) -> None:
    dials = {"knowledge": 1.0, "skill": 1.0, "leave": 0.0}
    deep, wide = scripted("a", **dials, rut=1.0), scripted("a", **dials)
    histories = [play(wide, Condition.NONE, 80, replicate) for replicate in range(6)]
    kept = []
    for history in histories:
        touched = {parse(turn.question).dimension for turn in history[:10]}  # type: ignore[union-attr]
        found = stated(world, card(deep, history).model_dump())
        assert {dimension for dimension, so in found.items() if so} == touched
        assert stated(world, card(deep, history[:10] + history[15:]).model_dump()) == found
        kept.append(len(touched))
        assert all(stated(world, card(wide, history).model_dump()).values())
    assert max(kept) < len(world.truth)
    half = scripted("a", **dials, rut=0.5).player(world.problem)
    assert isinstance(half, Player)
    missing = [half.missing(history) for history in histories]
    assert half.missing(histories[0][:9]) == frozenset()
    assert len(set(missing)) > 1
    assert missing == [half.missing(history[:10]) for history in histories]


def test_who_does_not_learn_writes_the_same_card_whatever_it_heard(scripted: Build, play: Play, card: Write) -> None:
    deaf = scripted("a", knowledge=0.8, learns=False)
    one, two = (play(deaf, condition, 20, 1) for condition in (Condition.NONE, Condition.FULL))
    assert one != two
    assert card(deaf, one, 3) == card(deaf, two, 3)
    hearing = scripted("a", knowledge=0.8)
    assert card(hearing, one, 3) != card(hearing, two, 3)


def test_who_does_not_read_asks_as_without_a_survey(scripted: Build, play: Play) -> None:
    blind, reader = scripted("a", knowledge=0.4, reads=False), scripted("a", knowledge=0.4)
    assert play(blind, Condition.FULL, 30) == play(blind, Condition.NONE, 30)
    assert play(reader, Condition.FULL, 30) != play(reader, Condition.NONE, 30)


def test_the_null_world_is_one_persona_under_three_names() -> None:
    null = {name: persona(f"null-{name}") for name in "abc"}
    assert null["a"] == null["b"] == null["c"]
    assert not null["a"].reads
    assert not null["a"].learns
    assert null["a"].peak is None


def test_a_biased_judge_knows_its_family_by_its_manner(
    scripted: Build, play: Play, card: Write, score: Callable[..., int]
) -> None:
    dials = {"knowledge": 0.3, "skill": 0.2}
    history = play(scripted("a", **dials), Condition.NONE, 20)
    own, other, plain = (card(scripted("a", **dials, accent=accent), history) for accent in ("kin", "else", ""))
    assert own.novelty == f"{plain.novelty} This is in the manner of kin."
    biased, fair = scripted("judge", bias={"kin": 2.0}), scripted("judge")
    assert score(biased, own) == score(fair, own) + 2
    assert score(biased, other) == score(fair, other) == score(fair, plain) == score(fair, own)
