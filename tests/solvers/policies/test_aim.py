"""AIM over whole searches: its budget, its tables, and what each part that is switched off leaves out."""

import json
from typing import Any

import pytest
from policy_search import Fallbacks, Scripted, names, search, sizes, state

from solvers.assignment import Action, Assignment
from solvers.idea import Cluster, Rank
from solvers.operators.allocate import Plan
from solvers.policies.aim import Aim, AimSettings
from solvers.state import State

Searched = tuple[State, list[Assignment], Fallbacks]


async def searched(seed: int = 0, consult: Fallbacks | None = None, **off: Any) -> Searched:
    at, asked = state(seed), consult or Fallbacks()
    made = await search(Aim(AimSettings(**off), asked), at)
    return at, made, asked


def asked(consult: Fallbacks, word: str) -> list[str]:
    return [part for part in consult.said if part.split(".")[1] == word]


@pytest.mark.parametrize("seed", range(5))
async def test_the_branches_are_spent_exactly_and_no_idea_twice(seed: int) -> None:
    at, made, _ = await searched(seed, Scripted(seed=seed))
    assert [one.branch for one in made] == list(range(1, 26))
    assert at.done == sizes(made)
    assert at.done[0] == 5
    assert max(at.done) <= 5
    assert len(set(names(made))) == 25


async def test_the_pool_is_asked_for_once_and_then_grows_from_what_was_found() -> None:
    at, _, consult = await searched()
    assert asked(consult, "ideate")[0] == "00.ideate"
    first = [idea for idea in at.ideas.values() if idea.iteration == 0]
    assert len(first) == 10
    assert {idea.source for idea in first} == {"ideator"}
    later = {idea.iteration for idea in at.ideas.values() if idea.source != "ideator"}
    assert later == set(range(1, at.iteration))  # the last iteration's pool is left as it is


async def test_every_idea_is_in_one_cluster_of_its_iteration_and_clusters_are_named_to_the_next() -> None:
    at, made, _ = await searched()
    for number in range(1, at.iteration + 1):
        clusters = [row for _, row, _ in at.rows if isinstance(row, Cluster) and row.iteration == number]
        members = [name for one in clusters for name in one.idea_ids]
        assert 2 <= len(clusters) <= 5
        assert sorted(members) == [name for name, idea in at.ideas.items() if idea.iteration < number]
        for one in made:
            if one.iteration == number and one.idea:
                assert one.idea.id in next(row for row in clusters if row.index == one.cluster).idea_ids


async def test_ideas_of_the_first_iteration_are_exploited_whatever_is_asked() -> None:
    _, made, _ = await searched()
    first, later = made[:5], made[5:]
    assert {one.idea_action_done for one in first} == {Action.EXPLOIT}
    assert {one.idea_action_done for one in later} == {Action.EXPLOIT, Action.EXPLORE}


async def test_a_child_begins_with_its_parent_s_code() -> None:
    at, made, _ = await searched()
    children = [one for one in made if one.idea and one.idea.parent_id]
    assert children
    for one in children:
        assert one.idea
        best = [was for was in at.counted if was.iteration < one.iteration and was.idea_id == one.idea.parent_id]
        right = [was for was in best if was.score is not None]
        assert one.parents[:1] == tuple(was.branch for was in right)


async def test_nothing_that_the_audit_discarded_teaches_or_grows_the_pool() -> None:
    at, _, consult = await searched()
    gone = {one.branch: one.idea_id for one in at.attempts if one not in at.counted}
    assert gone
    assert not [part for part in asked(consult, "expand") if int(part[-2:]) in gone]
    assert not {lesson.context_idea for lesson in at.lessons} & set(gone.values())
    assert not {idea.parent_id for idea in at.ideas.values()} & set(gone.values())


@pytest.mark.parametrize("seed", range(5))
async def test_past_entries_of_the_plan_are_frozen_and_each_next_one_is_what_is_done(seed: int) -> None:
    at, _, _ = await searched(seed, Scripted(seed=seed))
    plans = [row for _, row, _ in at.rows if isinstance(row, Plan)]
    assert plans[0].plan == (5, 5, 5, 5, 5)
    assert len(set(plans)) > 2
    for row in plans:
        done = row.after_iteration + 1
        assert sum(row.plan) == 25
        assert list(row.plan[:done]) == at.done[:done]


@pytest.mark.parametrize(
    ("off", "silent"),
    [({"organize": False}, "organize"), ({"estimate": False}, "estimate"), ({"plan": False}, "plan")],
)
async def test_a_part_that_is_off_is_not_asked(off: dict[str, bool], silent: str) -> None:
    _, made, consult = await searched(**off)
    assert asked(await with_all(), silent)
    assert not asked(consult, silent)
    assert len(made) == 25


async def with_all() -> Fallbacks:
    return (await searched())[2]


async def test_without_organize_the_pool_is_one_cluster_that_is_still_ranked() -> None:
    at, _, _ = await searched(organize=False)
    clusters = [row for _, row, _ in at.rows if isinstance(row, Cluster)]
    assert {row.index for row in clusters} == {1}
    assert [row for _, row, _ in at.rows if isinstance(row, Rank) and row.idea_id]


async def test_without_estimate_nothing_has_a_rank_and_dispatch_is_shown_none() -> None:
    at, made, consult = await searched(estimate=False)
    assert not [row for _, row, _ in at.rows if isinstance(row, Rank)]
    assert {(one.rank, one.of, one.deviation) for one in made} == {(None, None, None)}
    for payload in payloads(consult, "dispatch_clusters"):
        assert (payload["ranked"], {one["rank"] for one in payload["clusters"]}) == (False, {None})
    for payload in payloads(consult, "dispatch_idea"):
        assert {one["rank"] for one in payload["candidates"]} == {None}
    assert all({one["rank"] for one in shown["clusters"]} == {None} for shown in payloads(consult, "plan"))


async def test_without_actions_nothing_is_explored_or_exploited() -> None:
    _, made, _ = await searched(actions=False)
    assert {(one.cluster_action, one.idea_action_asked, one.idea_action_done) for one in made} == {(None, None, None)}


async def test_a_fixed_plan_has_as_many_branches_each_iteration() -> None:
    _, made, _ = await searched(plan=False)
    assert sizes(made) == [5] * 5


async def test_a_pool_that_is_spent_is_filled_again_before_the_next_iteration() -> None:
    at, made, consult = await searched(ideas=2)
    assert sizes(made)[0] == 2
    assert len(made) == 25
    assert len(set(names(made))) == 25
    assert at.done[:1] == [2]
    assert asked(consult, "ideate")[0] == "00.ideate"


def payloads(consult: Fallbacks, operator: str) -> list[dict[str, Any]]:
    said = [json.loads(asked) for asked, _ in consult.said.values()]
    return [payload for name, payload in said if name == operator]


async def test_the_clusters_of_one_iteration_are_what_the_next_begins_with() -> None:
    at, _, consult = await searched()
    shown = [[tuple(one["idea_ids"]) for one in payload["previous"]] for payload in payloads(consult, "organize")]
    kept: list[list[tuple[str, ...]]] = [[] for _ in range(at.iteration + 1)]
    for _, row, _ in at.rows:
        if isinstance(row, Cluster):
            kept[row.iteration].append(row.idea_ids)
    assert shown == kept[:-1]


@pytest.mark.parametrize("seen", [True, False])
async def test_lessons_reach_the_ranking_of_clusters_only_where_they_are_to(seen: bool) -> None:
    _, _, consult = await searched(lessons=seen)
    assert [bool(payload["lessons"]) for payload in payloads(consult, "estimate_clusters")] == [False, *[seen] * 4]
    assert all(payload["lessons"] for payload in payloads(consult, "expand"))
