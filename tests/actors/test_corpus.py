"""The corpus that ships: enough papers, from enough fields, whose problems keep their solutions to themselves."""

import re
from pathlib import Path

import pytest
import yaml

from actors.paper import Paper, read_papers
from actors.survey import Survey, read_survey

ROOT = Path(__file__).resolve().parents[2]
PAPERS = read_papers(ROOT / "datasets" / "papers")
SURVEYS = {name: read_survey(ROOT / "datasets" / "surveys" / f"{name}.json") for name in PAPERS}

BOTH = [(paper, SURVEYS[name]) for name, paper in PAPERS.items()]


def stems(text: str) -> set[str]:
    """Long words, cut to six letters, so that an ending does not hide one."""
    return {word[:6] for word in re.findall(r"[a-z]{5,}", text.casefold())}


def said(paper: Paper) -> str:
    """The problem as one text."""
    return "\n".join(paper.problem.model_dump().values())


def test_there_are_papers_enough_from_fields_enough() -> None:
    origins = [paper.origin for paper in PAPERS.values()]
    assert origins.count("classic") >= 20
    assert origins.count("invented") >= 10
    assert len({paper.field for paper in PAPERS.values()}) >= 8
    assert {(paper.licence, paper.may_redistribute) for paper in PAPERS.values()} == {("CC0-1.0", True)}


def test_classics_may_be_known_to_every_model_and_invented_ones_to_none() -> None:
    models = [yaml.safe_load(path.read_text()) for path in (ROOT / "conf" / "model").glob("*.yaml")]
    cutoffs = [model["cutoff"] for model in models if model.get("cutoff")]
    for paper in PAPERS.values():
        assert {paper.first_public_date <= cutoff for cutoff in cutoffs} == {paper.origin == "classic"}, paper.id


@pytest.mark.parametrize("paper", PAPERS.values(), ids=PAPERS)
def test_a_paper_is_long_enough_to_answer_from_and_short_enough_to_read(paper: Paper) -> None:
    assert 900 <= len(paper.text.split()) <= 2000
    assert len(paper.solution.components) >= 4


@pytest.mark.parametrize(("paper", "survey"), BOTH, ids=PAPERS)
def test_a_problem_does_not_give_its_solution_away(paper: Paper, survey: Survey) -> None:
    problem = said(paper)
    for phrase in (survey.core, survey.decoy, *paper.solution.components):
        assert phrase.casefold() not in problem.casefold()
    core = stems(survey.core)
    assert len(core & stems(problem)) <= 0.6 * len(core)


@pytest.mark.parametrize(("paper", "survey"), BOTH, ids=PAPERS)
def test_the_core_is_what_the_paper_says_and_the_blind_survey_does_not(paper: Paper, survey: Survey) -> None:
    own = stems(paper.text + "\n".join([paper.solution.contribution, paper.solution.approach, paper.solution.novelty]))
    core = stems(survey.core)
    assert len(core & own) >= 0.6 * len(core)
    assert survey.core.casefold() not in str(survey.versions["blind"]).casefold()
