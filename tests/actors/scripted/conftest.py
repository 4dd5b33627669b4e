"""A small paper, its survey, and whole games played by scripted models."""

import asyncio
from collections.abc import Callable
from datetime import date

import pytest

from actors.dialogue import (
    AnswerReply,
    Card,
    CardReply,
    QuestionReply,
    RatingReply,
    Turn,
    answer_view,
    card_view,
    question_view,
    rating_view,
)
from actors.model import Kind, Persona, Spec
from actors.paper import Paper, Problem, Solution
from actors.prompt import Request
from actors.scripted.model import ScriptedModel
from actors.scripted.world import World, build_world
from actors.survey import Condition, Dimension, Line, Survey, Version, digest, faults

CORE = "signed counters in a cuckoo table"
DECOY = "plain counters in a bloom table"
NAMES = (
    "Where counts are kept",
    "How keys are placed",
    "What is thrown away",
    "How errors are bounded",
    "When to grow",
)


def version(first: str, replaced: dict[tuple[int, int], str]) -> Version:
    """Five dimensions of four lines of three techniques; ``first`` stands in line 2 of dimension 0."""
    dimensions = []
    for d, name in enumerate(NAMES):
        lines = []
        for k in range(4):
            word = replaced.get((d, k), "plan")
            techniques = [f"{word} {d}{k}{letter} of its kind" for letter in "abc"]
            if (d, k) == (0, 2):
                techniques[1] = first
            lines.append(Line(family=f"family {word} {d}{k}", techniques=tuple(techniques)))
        dimensions.append(Dimension(name=name, lines=tuple(lines)))
    bare = Version(dimensions=tuple(dimensions), sha256="")
    return bare.model_copy(update={"sha256": digest(bare)})


@pytest.fixture(scope="session")
def paper() -> Paper:
    return Paper(
        id="counting",
        title="Counting in small tables",
        field="data structures",
        source="written for this test",
        licence="CC0-1.0",
        may_redistribute=True,
        first_public_date=date(2026, 1, 1),
        problem=Problem(domain="sketches", goal="count", challenge="little memory", gap="deletions"),
        solution=Solution(contribution="a table", approach="counters", components=("hashing",), novelty="signs"),
        abstract="We count.",
        text="We count with signs.",
    )


@pytest.fixture(scope="session")
def survey() -> Survey:
    gone = {(1, 0): "idea", (1, 3): "idea", (3, 2): "idea"}
    versions = {
        "blind": version("plan 02b of its kind", {}),
        "full": version(CORE, {}),
        "decoy": version(DECOY, {}),
        "dummy": version(DECOY, gone),
    }
    made = Survey(paper="counting", core=CORE, decoy=DECOY, versions=versions)
    assert faults(made) == []
    return made


@pytest.fixture(scope="session")
def world(paper: Paper, survey: Survey) -> World:
    return build_world(paper, survey, seed=7)


@pytest.fixture(scope="session")
def scripted(world: World) -> Callable[..., ScriptedModel]:
    """``scripted(name, knowledge=.5, ...)``: a model on the one world, or on ``on``."""

    def build(name: str, on: World = world, **persona: float | bool) -> ScriptedModel:
        spec = Spec(name=name, kind=Kind.SCRIPTED, family="script", persona=Persona.model_validate(persona))
        return ScriptedModel(spec, [on])

    return build


@pytest.fixture(scope="session")
def play(survey: Survey, scripted: Callable[..., ScriptedModel]) -> Callable[..., list[Turn]]:
    """``play(model, condition, questions, replicate)``: the turns of one game, told the truth unless ``answerer``."""
    truthful = scripted("truthful")

    def game(
        model: ScriptedModel | Callable[[], ScriptedModel],
        condition: Condition,
        questions: int = 100,
        replicate: int = 0,
        answerer: ScriptedModel = truthful,
    ) -> list[Turn]:
        return asyncio.run(_play(model, survey.context(condition), questions, replicate, answerer))

    return game


async def _play(
    model: ScriptedModel | Callable[[], ScriptedModel],
    context: str | None,
    questions: int,
    replicate: int,
    answerer: ScriptedModel,
) -> list[Turn]:
    world = next(iter(answerer.by_problem.values()))
    history: list[Turn] = []
    for t in range(1, questions + 1):
        seed = 1000 * replicate + t
        view = question_view(world.problem, context, tuple(history), "", None)
        player = model if isinstance(model, ScriptedModel) else model()
        asked = await player.complete(Request("question", view, QuestionReply, 1.0, seed))
        question = QuestionReply.model_validate_json(asked.text or "").question
        told = answer_view(world.solution, "", "", question)
        said = await answerer.complete(Request("answer", told, AnswerReply, 0.0, seed))
        answer = AnswerReply.model_validate_json(said.text or "").answer
        history.append(Turn(t=t, question=question, answer=answer))
    return history


@pytest.fixture(scope="session")
def card(world: World) -> Callable[..., Card]:
    """``card(model, history, seed)``: the model's idea."""

    def write(model: ScriptedModel, history: list[Turn], seed: int = 0) -> Card:
        request = Request("card", card_view(world.problem, history), CardReply, 1.0, seed)
        reply = CardReply.model_validate_json(asyncio.run(model.complete(request)).text or "")
        return Card(t=len(history), **reply.model_dump())

    return write


@pytest.fixture(scope="session")
def score(world: World) -> Callable[..., int]:
    """``score(judge, card, seed)``: the judge's number."""

    def rate(judge: ScriptedModel, of: Card, seed: int = 0) -> int:
        request = Request("rating", rating_view(world.problem, world.solution, of), RatingReply, 0.0, seed)
        return RatingReply.model_validate_json(asyncio.run(judge.complete(request)).text or "").score

    return rate
