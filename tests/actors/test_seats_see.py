"""What a seat may see: no survey in a card prompt, no confidence in a judge prompt, no history in an answer prompt."""

import pytest

from actors.answerer import Answerer
from actors.dialogue import Answer, Card, Turn
from actors.inquisitor import Inquisitor, Strategy
from actors.judge import Judge
from actors.model import Reply, Spec
from actors.paper import read_paper
from actors.prompt import Request
from actors.replay import Tape
from actors.survey import Condition, read_survey
from pipelines.settings import ROOT

PAPER = read_paper(ROOT / "datasets/papers/batch-normalization.md")
SURVEY = read_survey(ROOT / "datasets/surveys/batch-normalization.json")
HISTORY = [
    Turn(t=1, question="Does the zebra question matter?", answer=Answer.NO),
    Turn(t=2, question="Is the giraffe question next?", answer=Answer.YES),
]
CARD = Card(t=20, contribution="the idea", approach="a way", components=("a part",), novelty="all new", confidence=73)
REPLIES = {
    "question": '{"question": "Is it so?"}',
    "card": CARD.model_dump_json(exclude={"t"}),
    "answer": '{"answer": "YES"}',
    "rating": '{"rationale": "why", "score": 4}',
}


class Ear:
    """A model that keeps the words of every prompt."""

    def __init__(self) -> None:
        self.spec = Spec(name="ear", model="x/y", family="ear")
        self.heard: list[list[dict[str, str]]] = []

    async def complete(self, request: Request) -> Reply:
        self.heard.append(request.messages())
        return Reply(text=REPLIES[request.prompt], latency=0.0)

    @property
    def words(self) -> str:
        return "\n".join(message["content"] for message in self.heard[-1])


@pytest.fixture
def ear() -> Ear:
    return Ear()


def survey_lines() -> list[str]:
    return [line for version in SURVEY.versions.values() for line in str(version).split("\n") if line]


async def test_question_prompt_holds_problem_survey_history_and_nothing_of_the_solution(ear: Ear) -> None:
    context = SURVEY.context(Condition.FULL)
    await Inquisitor(ear, Strategy(name="plain")).ask(Tape("u"), PAPER.problem, context, HISTORY, 100, set())
    for text in (
        PAPER.problem.challenge,
        context,
        "1. Does the zebra question matter? NO",
        "2. Is the giraffe question next? YES",
    ):
        assert text is not None
        assert text in ear.words
    for secret in (PAPER.solution.contribution, PAPER.abstract, PAPER.title, "of 100"):
        assert secret not in ear.words


async def test_survey_stands_right_after_the_problem_without_a_word_about_it(ear: Ear) -> None:
    context = SURVEY.context(Condition.FULL)
    inquisitor = Inquisitor(ear, Strategy(name="plain"))
    await inquisitor.ask(Tape("u"), PAPER.problem, context, HISTORY, 100, set())
    with_survey = ear.words
    await inquisitor.ask(Tape("v"), PAPER.problem, None, HISTORY, 100, set())
    assert with_survey == ear.words.replace(f"Gap: {PAPER.problem.gap}\n", f"Gap: {PAPER.problem.gap}\n\n{context}\n")


async def test_turn_awareness_and_instruction_are_the_strategys(ear: Ear) -> None:
    strategy = Strategy(name="s", instruction="Ask about zebras.", turn_aware=True)
    await Inquisitor(ear, strategy).ask(Tape("u"), PAPER.problem, None, HISTORY, 100, set())
    assert "Ask about zebras." in ear.words
    assert "question 3 of 100" in ear.words


async def test_no_survey_line_is_in_a_card_prompt(ear: Ear) -> None:
    await Inquisitor(ear, Strategy(name="plain", turn_aware=True)).write_card(Tape("u"), PAPER.problem, HISTORY)
    assert PAPER.problem.gap in ear.words
    assert "zebra" in ear.words
    assert [line for line in survey_lines() if line in ear.words] == []
    assert SURVEY.core not in ear.words
    assert PAPER.solution.approach not in ear.words


async def test_answer_prompt_holds_evidence_first_and_no_other_question(ear: Ear) -> None:
    answerer = Answerer(ear, {PAPER.id: PAPER})
    for turn, question in enumerate(("Is the zebra striped?", "Is the giraffe tall?"), 1):
        await answerer.reply(PAPER.id, question, turn, "unit")
    first, second = ear.heard
    assert first[0] == second[0]  # the evidence: the same bytes for every question on a paper
    order = [first[0]["content"].index(text) for text in (PAPER.solution.contribution, PAPER.abstract, PAPER.text)]
    assert order == sorted(order)
    assert "zebra" in first[1]["content"]
    assert "zebra" not in second[1]["content"] + second[0]["content"]


async def test_judge_prompt_holds_neither_confidence_nor_turn(ear: Ear) -> None:
    await Judge(ear).rate(Tape("u"), PAPER, CARD)
    for text in (PAPER.problem.gap, PAPER.solution.novelty, "the idea", "a way", "- a part", "all new"):
        assert text in ear.words
    assert "73" not in ear.words
    assert "20" not in ear.words.replace(PAPER.problem.model_dump_json(), "")
    assert "confidence" not in ear.words.lower()
