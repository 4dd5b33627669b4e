"""The scripted annotator: sees exactly what is there, and slips at its rate."""

import pytest

from actors.annotation import Which, numbered
from actors.model import Persona
from actors.scripted.annotator import Annotator
from actors.scripted.question import generic_question, line_question, pair_question, size_question, technique_question
from actors.scripted.tree import branches, parents
from actors.scripted.world import World
from actors.survey import Survey

KEPT, PLACED, THROWN = "Where counts are kept", "How keys are placed", "What is thrown away"
CORE, DECOY = "signed counters in a cuckoo table", "plain counters in a bloom table"
GAME = (
    (line_question(KEPT, "family plan 00"), 0),
    (technique_question(KEPT, "plan 00a of its kind"), 1),  # of the family
    (line_question(KEPT, "family plan 01"), 2),  # another family, but on the dimension just asked about
    (line_question(PLACED, "family plan 10"), 0),  # elsewhere
    (technique_question(KEPT, "plan 00b of its kind"), 2),  # back to where the family was left
    (technique_question(THROWN, "plan 22a of its kind"), 0),
    (generic_question(THROWN, "draw at random"), 6),
    (line_question(KEPT, "family plan 03"), 0),  # on a dimension asked about, but come to anew
    (size_question(3), 0),
    (size_question(4), 9),
)
QUESTIONS = [(number, question) for number, (question, _) in enumerate(GAME, 1)]
EXACT = Annotator("a", Persona(), 0)


def test_a_question_follows_its_family_then_its_dimension_then_the_problem(world: World) -> None:
    right = {number: parent for number, (_, parent) in enumerate(GAME, 1)}
    assert parents(world, QUESTIONS) == right
    assert branches(world, QUESTIONS) == 5
    assert EXACT.parents(world, QUESTIONS, [5, 7]) == {"5": 2, "7": 6}


def test_phrases_are_found_word_for_word() -> None:
    asked = [
        (3, technique_question(KEPT, CORE.upper())),
        (4, technique_question(KEPT, DECOY)),
        (5, pair_question(KEPT, CORE, DECOY)),
        (6, line_question(KEPT, "family plan 02")),
    ]
    found = EXACT.mentions(CORE, DECOY, asked)
    assert found == {"3": Which.CORE, "4": Which.DECOY, "5": Which.BOTH, "6": Which.NEITHER}
    assert EXACT.states(CORE, DECOY, {"contribution": "x", "components": ["a", f"b {DECOY}"]}) is Which.DECOY


@pytest.mark.parametrize("condition", ["dummy", "decoy", "full"])
def test_every_line_is_found_by_its_family_and_by_its_techniques(condition: str, survey: Survey) -> None:
    version = survey.versions[condition]
    asked, right, line = [], {}, 0
    for dimension in version.dimensions:
        for each in dimension.lines:
            line += 1
            asked.append(line_question(dimension.name, each.family))
            asked += [technique_question(dimension.name, technique) for technique in each.techniques]
            asked.append(pair_question(dimension.name, each.techniques[0], "anything"))
            right |= {str(number): line for number in range(len(right) + 1, len(asked) + 1)}
    assert EXACT.lines(numbered(version), list(enumerate(asked, 1))) == right
    assert line == 20


def test_what_the_survey_does_not_name_is_on_no_line(survey: Survey) -> None:
    other = [technique_question(KEPT, CORE), line_question(PLACED, "family plan 00"), size_question(2), "Is it so?"]
    assert set(EXACT.lines(numbered(survey.versions["decoy"]), list(enumerate(other, 1))).values()) == {0}


def test_a_candidate_is_the_core_idea_where_it_names_the_core_technique(world: World) -> None:
    assert EXACT.recognise(world, ["nothing", f"built on {CORE}", CORE]) == 2
    assert EXACT.recognise(world, ["nothing", DECOY]) == 0


def test_marks_are_wrong_at_the_rate_of_slips(world: World, survey: Survey) -> None:
    many = [(number, technique_question(KEPT, "plan 00a of its kind")) for number in range(1, 1001)]
    exact, sloppy = Annotator("b", Persona(), 5), Annotator("b", Persona(slip=0.1), 5)
    dimensions = numbered(survey.versions["full"])

    def wrong(first: dict[str, object], second: dict[str, object]) -> float:
        return sum(first[number] != second[number] for number in first) / len(first)

    lines = wrong({**exact.lines(dimensions, many)}, {**sloppy.lines(dimensions, many)})
    assert lines == pytest.approx(0.1, abs=0.03)
    marks = wrong({**exact.mentions(CORE, DECOY, many)}, {**sloppy.mentions(CORE, DECOY, many)})
    assert marks == pytest.approx(1 - 0.9**2, abs=0.04)  # of two marks
    every = range(1, 1001)
    named = sloppy.parents(world, many, every)
    assert wrong({**exact.parents(world, many, every)}, {**named}) == pytest.approx(0.1, abs=0.03)
    assert all(0 <= parent < int(number) for number, parent in named.items())


def test_two_annotators_slip_at_different_places(survey: Survey) -> None:
    many = [(number, technique_question(KEPT, "plan 00a of its kind")) for number in range(1, 501)]
    dimensions = numbered(survey.versions["full"])
    one, two = (Annotator(name, Persona(slip=0.2), 5).lines(dimensions, many) for name in "ab")
    both = sum(one[number] != 1 and two[number] != 1 for number in one) / len(one)
    assert both == pytest.approx(0.04, abs=0.03)


def test_who_always_slips_says_the_opposite(world: World) -> None:
    always = Annotator("a", Persona(slip=1.0), 0)
    assert always.recognise(world, ["nothing", CORE]) == 0
    assert always.recognise(world, ["nothing", DECOY]) in (1, 2)
    assert always.mentions(CORE, DECOY, [(1, CORE)]) == {"1": Which.DECOY}
