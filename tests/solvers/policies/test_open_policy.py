"""Policies by name: every one is opened from its config file, replays to the same, and keeps to the seam."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from policy_search import Fallbacks, Replayed, Scripted, names, search, sizes, state
from pydantic import TypeAdapter, ValidationError

from actors.row import Row
from solvers.policies.choice import PolicySettings
from solvers.policies.open import IDEA_DRIVEN, open_policy, wants_brief

CONF = Path(__file__).parents[3] / "conf" / "policy"
ON_IDEAS = ["aim", "best_of_n", "random_dispatch", "scientist_one"]
ON_CODE: list[str] = []
CHOICE: TypeAdapter[Any] = TypeAdapter(PolicySettings)


def test_there_is_a_config_file_for_each_policy_and_it_says_the_defaults() -> None:
    assert sorted(path.stem for path in CONF.glob("*.yaml")) == sorted([*ON_IDEAS, *ON_CODE])
    for name in (*ON_IDEAS, *ON_CODE):
        said = yaml.safe_load((CONF / f"{name}.yaml").read_text())
        settings: Row = CHOICE.validate_python(said)
        assert settings.model_dump() == said
        assert settings == CHOICE.validate_python({"name": name})


def test_another_name_and_another_policy_s_key_are_refused() -> None:
    for wrong in ({"name": "none such"}, {"name": "best_of_n", "ideas": 10}, {"name": "aim", "ideas": 0}, {}):
        with pytest.raises(ValidationError):
            CHOICE.validate_python(wrong)


@pytest.mark.parametrize("name", ON_IDEAS)
def test_a_policy_that_works_on_ideas_is_shown_the_brief(name: str) -> None:
    assert wants_brief(CHOICE.validate_python({"name": name}))
    assert {*ON_IDEAS} == IDEA_DRIVEN


@pytest.mark.parametrize("name", ON_IDEAS)
@pytest.mark.parametrize("manager", [Fallbacks, Scripted])
@pytest.mark.parametrize("seed", [0, 1])
async def test_a_search_spends_every_branch_once_and_a_replay_makes_the_same(
    name: str, manager: type[Fallbacks], seed: int
) -> None:
    settings, asked, at = CHOICE.validate_python({"name": name}), manager(), state(seed)
    made = await search(open_policy(settings, asked), at, relabels=0.2)
    assert [one.branch for one in made] == list(range(1, 26))
    assert sizes(made) == at.done
    assert len(set(names(made))) == 25
    rewritten = {one.idea_id for one in at.attempts if one.role == "idea_mismatch_relabel"}
    assert rewritten
    assert not rewritten & set(names(made))
    again = state(seed)
    assert await search(open_policy(settings, Replayed(asked.said)), again, relabels=0.2) == made
    assert again == at


@pytest.mark.parametrize("name", ON_IDEAS)
@pytest.mark.parametrize(("branches", "iterations"), [(1, 1), (1, 4), (7, 3), (3, 1)])
async def test_any_shape_of_budget_is_spent_exactly(name: str, branches: int, iterations: int) -> None:
    at = state(branches=branches, iterations=iterations)
    made = await search(open_policy(CHOICE.validate_python({"name": name}), Fallbacks()), at)
    assert len(made) == branches * iterations
    assert at.done[0] == branches
