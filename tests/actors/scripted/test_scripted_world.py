"""The truth of a scripted world, and the language in which it is asked about."""

import os
import pickle
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from actors.errors import BadInput
from actors.inquisitor import broken_rules
from actors.paper import Paper, read_paper
from actors.scripted.chance import stable, uniform
from actors.scripted.inquisitor import spare_questions
from actors.scripted.lattice import join, lattice, outline, read_context
from actors.scripted.question import Form, line_question, pair_question, parse, size_question, technique_question
from actors.scripted.world import World, build_world
from actors.survey import Survey, read_survey

DATASETS = Path(__file__).parents[3] / "datasets"
CORE = "signed counters in a cuckoo table"
DECOY = "plain counters in a bloom table"
HOME = "Where counts are kept"


def test_lattice_is_the_full_survey_with_the_decoy_beside_the_core(world: World, survey: Survey) -> None:
    full = outline(survey.versions["full"])
    assert list(world.outline) == list(full)
    assert world.outline[HOME]["family plan 02"] == (
        "plan 02a of its kind", CORE, "plan 02c of its kind", DECOY,
    )  # fmt: skip
    assert {d: f for d, f in world.outline.items() if d != HOME} == {d: f for d, f in full.items() if d != HOME}


def test_truth_is_the_core_and_a_component_where_dummy_took_one_away(paper: Paper, survey: Survey) -> None:
    worlds = [build_world(paper, survey, seed) for seed in range(200)]
    assert {world.truth[HOME] for world in worlds} == {CORE}
    assert {world.core for world in worlds} == {HOME}
    placed = Counter(world.family["How keys are placed", world.truth["How keys are placed"]] for world in worlds)
    assert set(placed) == {"family plan 10", "family plan 13"}
    bounded = Counter(world.truth["How errors are bounded"] for world in worlds)
    assert set(bounded) == {f"plan 32{letter} of its kind" for letter in "abc"}
    assert len({world.truth["When to grow"] for world in worlds}) == 12  # no line replaced: any technique


def test_worlds_are_the_same_in_another_process_and_after_pickling(paper: Paper, survey: Survey, world: World) -> None:
    code = "from actors.scripted.chance import stable, uniform; print(stable('a', 1, 'b'), uniform('x', 2))"
    shown = subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[3],
        env={**os.environ, "PYTHONHASHSEED": "5"},
    )
    assert shown.stdout.split() == [str(stable("a", 1, "b")), str(uniform("x", 2))]
    again = pickle.loads(pickle.dumps(build_world(paper, survey, 7)))
    assert (again.truth, again.outline, again.key) == (world.truth, world.outline, world.key)


def test_questions_come_back_as_what_they_ask() -> None:
    assert parse(line_question("How it is", "a family")) == ("How it is", Form.LINE, "a family")
    assert parse(technique_question("How it is", "use of x?")) == ("How it is", Form.TECHNIQUE, "use of x?")
    assert parse(pair_question("A", "b", "c")) == ("A", Form.PAIR, "b with c")
    assert parse(size_question(3)) is None
    assert parse("Is it fast?") is None


def test_answers_follow_the_truth(world: World) -> None:
    other = world.truth["When to grow"]
    expected = {
        line_question(HOME, "family plan 02"): True,
        line_question(HOME, "family plan 01"): False,
        technique_question(HOME, CORE): True,
        technique_question(HOME, DECOY): False,
        technique_question(HOME, "something of another survey"): False,
        technique_question("When to grow", CORE): False,
        pair_question(HOME, CORE, other): True,
        pair_question(HOME, DECOY, other): False,
        pair_question(HOME, CORE, "plan"): False,
        technique_question("No such dimension", CORE): None,
        f'Regarding "{HOME}", does the solution rest on a proof?': None,
        "Is it fast?": None,
    }
    assert {question: world.holds(question) for question in expected} == expected


def test_a_rendered_survey_is_read_back_whole(survey: Survey) -> None:
    for each in survey.versions.values():
        assert read_context(str(each)) == outline(each)
    assert read_context("Some words.\n\nMore words: and more.") == {}


def test_joined_outlines_name_a_technique_once() -> None:
    assert join([{"a": {"f": ("x",)}}, {"a": {"f": ("y", "x"), "g": ("x", "z")}, "b": {}}]) == {
        "a": {"f": ("x", "y"), "g": ("z",)},
        "b": {},
    }


def test_a_survey_that_cannot_be_read_back_is_refused(paper: Paper, survey: Survey) -> None:
    text = survey.model_dump_json().replace("plan 10a of its kind", "plan 10a; its kind")
    with pytest.raises(BadInput, match="technique '; '"):
        build_world(paper, Survey.model_validate_json(text), 0)
    with pytest.raises(BadInput, match="no technique holds 'quite another thing'"):
        build_world(paper, survey.model_copy(update={"core": "quite another thing"}), 0)


@pytest.mark.parametrize("path", sorted((DATASETS / "surveys").glob("*.json")), ids=lambda path: path.stem)
def test_every_shipped_survey_makes_a_world_with_well_formed_questions(path: Path) -> None:
    survey = read_survey(path)
    world = build_world(read_paper(DATASETS / "papers" / f"{path.stem}.md"), survey, 0)
    assert survey.core in world.truth[world.core]
    axes = lattice(join([world.outline, outline(survey.versions["dummy"])]))
    for axis in axes:
        plain = [
            question for family in axis.families for question in (family.question, *dict(family.techniques).values())
        ]
        spare = list(spare_questions(axis, axes))
        assert [question for question in [*plain, *spare[-24:]] if broken_rules(question, set())] == []
        assert all(parse(question) for question in plain + spare)
