"""A study's command line becomes one for each experiment, and each setting reaches those that have it."""

import pytest

from actors.errors import BadInput
from pipelines.study import is_study, jobs


def test_a_setting_reaches_the_experiments_that_have_it() -> None:
    given = [
        "experiment=study",
        "cast=scripted",
        "papers=2",
        "fork.at=[20]",
        "batch=10",
        "models.adept.persona.skill=1",
    ]
    found = {job[0].removeprefix("experiment="): job[1:] for job in jobs(given, None)}
    assert list(found) == [*("game", "survey", "prefix_fork", "probe", "question_pool", "answerer", "mentions", "tree")]
    everywhere = ["cast=scripted", "papers=2", "models.adept.persona.skill=1"]
    assert found["game"] == everywhere
    assert found["prefix_fork"] == ["cast=scripted", "papers=2", "fork.at=[20]", "models.adept.persona.skill=1"]
    assert [name for name, job in found.items() if "batch=10" in job] == ["mentions", "tree"]


def test_a_study_of_some_experiments() -> None:
    found = list(jobs(["experiment=study", "experiments=[tree, game]", "questions=20"], None))
    assert found == [["experiment=tree", "questions=20"], ["experiment=game", "questions=20"]]


@pytest.mark.parametrize(
    ("overrides", "said"),
    [
        (["condition=full"], "condition=full: each experiment of a study has its own"),
        (["experiments=[judge]"], "unknown experiment 'judge'"),
        (["experiments=[game]", "fork.at=[10]"], "fork.at"),
        (["forks.at=[10]"], "forks.at=[10]: none of game, survey"),
        (["experiments=[]"], "experiments: must be a list"),
        (["run.dir=somewhere"], "run.dir=somewhere: each experiment of a study has a folder of its own"),
    ],
)
def test_what_fits_nowhere_is_refused(overrides: list[str], said: str) -> None:
    with pytest.raises(BadInput, match=said.replace("[", r"\[")):
        list(jobs(["experiment=study", *overrides], None))


def test_the_last_experiment_counts() -> None:
    assert is_study(["experiment=game", "experiment=study"])
    assert not is_study(["experiment=study", "experiment=game"])
