"""What annotators may see: phrases without answers, a survey without the solution, questions without answers."""

import pytest
from seats import CARD, PAPER, SURVEY, Script, turns

from actors.annotator import Annotator
from actors.replay import Tape
from actors.survey import Condition

TURNS = turns("Does the zebra question matter?", "Is the giraffe question next?")
REPLIES = {
    "recognition": '{"rationale": "r", "candidate": 0}',
    "mentions": '{"1": "first", "2": "neither"}',
    "card_mention": '{"states": "neither"}',
    "lines": '{"1": 0, "2": 1}',
    "parents": '{"1": 0, "2": 1}',
}
SOLUTION = (PAPER.solution.contribution, PAPER.solution.approach, PAPER.solution.novelty, PAPER.title, PAPER.abstract)


@pytest.fixture
def script() -> Script:
    return Script(lambda request: REPLIES[request.prompt])


async def test_recognition_sees_solution_core_and_candidates(script: Script) -> None:
    await Annotator(script).recognise(Tape("u"), PAPER.solution, SURVEY.core, ["a lion", "a lynx"])
    for text in (*SOLUTION[:3], SURVEY.core, "1. a lion", "2. a lynx"):
        assert text in script.words
    assert SURVEY.decoy not in script.words
    await Annotator(script).recognise(Tape("u"), PAPER.solution, None, ["a lion"])
    assert "core idea in short" not in script.words


async def test_mentions_see_both_phrases_and_the_questions_alone(script: Script) -> None:
    await Annotator(script).mentions(Tape("u"), SURVEY, TURNS)
    for text in (SURVEY.core, SURVEY.decoy, "1. Does the zebra question matter?\n2. Is the giraffe question next?"):
        assert text in script.words
    assert not [word for word in ("YES", "core", "decoy") if word in script.words]  # nor which of them is true
    assert not [text for text in SOLUTION if text in script.words]
    await Annotator(script).card_mention(Tape("u"), SURVEY, CARD)
    for text in (SURVEY.core, SURVEY.decoy, "the idea", "a way", "- a part", "all new"):
        assert text in script.words
    assert not [word for word in ("73", "core", "decoy") if word in script.words]


@pytest.mark.parametrize("condition", [Condition.DUMMY, Condition.DECOY, Condition.FULL])
async def test_lines_see_the_players_survey_and_never_the_solution(condition: Condition, script: Script) -> None:
    await Annotator(script).lines(Tape("u"), SURVEY, condition, TURNS)
    lines = [line for dimension in SURVEY.versions[condition].dimensions for line in dimension.lines]
    for number, line in enumerate(lines, 1):
        assert f"\n{number}. {str(line).removeprefix('- ')}\n" in script.words
    assert "2. Is the giraffe question next?" in script.words
    assert not [text for text in (*SOLUTION, PAPER.problem.gap, "YES") if text in script.words]
    assert (SURVEY.core in script.words) == (condition is Condition.FULL)


async def test_a_tree_is_made_of_problem_and_questions_without_answers(script: Script) -> None:
    await Annotator(script).parents(Tape("u"), PAPER.problem, TURNS, 2)
    for text in (PAPER.problem.gap, "1. Does the zebra question matter?", "Name the parents of questions 1, 2."):
        assert text in script.words
    assert '{"1": <parent>, "2": <parent>}' in script.words
    assert not [text for text in (*SOLUTION, "YES") if text in script.words]
