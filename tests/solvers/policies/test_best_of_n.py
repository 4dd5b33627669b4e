"""Best of N: new ideas from the baseline, as many as branches, and nothing that one found reaches another."""

import json

from policy_search import Fallbacks, names, search, sizes, state

from solvers.policies.best_of_n import BestOfN, BestOfNSettings


async def test_every_branch_has_an_idea_of_its_own_and_begins_with_the_baseline() -> None:
    at = state()
    made = await search(BestOfN(BestOfNSettings(), Fallbacks()), at)
    assert sizes(made) == [5, 5, 5, 5, 5]
    assert names(made) == [f"i{number:03d}" for number in range(1, 26)]
    assert {(one.operator, one.parents, one.instruction) for one in made} == {("draft", (), "")}
    assert [one.idea.iteration for one in made if one.idea][::5] == [0, 1, 2, 3, 4]


async def test_no_idea_hangs_on_what_another_scored() -> None:
    one, other = Fallbacks(), Fallbacks()
    await search(BestOfN(BestOfNSettings(), one), state(seed=1))
    await search(BestOfN(BestOfNSettings(), other), state(seed=2))
    assert one.said == other.said
    asked = [json.loads(asked)[1] for part, (asked, _) in one.said.items() if not part.endswith("critic")]
    assert [payload["best"] + payload["worst"] for payload in asked] == [[]] * 5
    assert [len(payload["known"]) for payload in asked] == [0, 5, 10, 15, 20]


async def test_the_ideator_speaks_once_an_iteration_and_first_as_part_00() -> None:
    consult = Fallbacks()
    await search(BestOfN(BestOfNSettings(), consult), state(iterations=3))
    assert [part for part in consult.said if not part.endswith("critic")] == ["00.ideate", "02.ideate", "03.ideate"]


async def test_more_branches_at_once_than_five_are_planned_where_they_are_asked_for() -> None:
    made = await search(BestOfN(BestOfNSettings(), Fallbacks()), state(branches=8, iterations=2))
    assert sizes(made) == [8, 8]
