"""Dispatch: clusters and actions for all branches, then an idea each; whatever a manager says, the rules hold."""

from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_searches import Manager, Rule, any_search, attempt, cluster, idea, names_of, rank, state_of

from solvers.assignment import Action, Assignment
from solvers.idea import Cluster, Rank
from solvers.operators.choose import DISPATCH_IDEA, IdeaChoice, scores_well
from solvers.operators.dispatch import (
    DISPATCH_CLUSTERS,
    BranchPlace,
    ClusterDispatch,
    ClusterShare,
    clusters_payload,
    dispatch,
)
from solvers.operators.operator import Payload
from solvers.scripted.dispatch import RULES
from solvers.state import State

EXPLORE, EXPLOIT = Action.EXPLORE, Action.EXPLOIT
seeds = st.integers(0, 10**6)


def careless(seed: int) -> dict[str, Rule]:
    """A manager that is often wrong: it begins with what is right, and changes something, or with nothing."""
    draws = Random(seed)

    def clusters(payload: Payload, _: int) -> ClusterDispatch:
        if draws.random() < 0.3:
            names = [draws.randint(1, 3) for _ in range(payload["branches"])]
            action = draws.choice([EXPLORE, EXPLOIT])
            return ClusterDispatch(
                rationale="",
                clusters=tuple(ClusterShare(cluster=n, action=action, n_branches=names.count(n)) for n in set(names)),
                branches=tuple(BranchPlace(cluster=n, cluster_action=action, idea_action=EXPLOIT) for n in names),
            )
        right = RULES["dispatch_clusters"](payload, seed)
        said = right.model_dump(mode="json")
        for _ in range(draws.randint(0, 2)):
            row = draws.choice([*said["clusters"], *said["branches"]])
            row[draws.choice(list(row))] = draws.choice([1, 2, 9, "explore", "exploit", None])
        try:
            return ClusterDispatch.model_validate(said)
        except ValueError:
            return ClusterDispatch(rationale="", clusters=(), branches=())

    def one_idea(payload: Payload, _: int) -> IdeaChoice:
        name = draws.choice([*(row["id"] for row in payload["candidates"]), "i999"])
        return IdeaChoice(idea_id=name, deviation=draws.choice([None, " ", "it is better"]))

    return {"dispatch_clusters": clusters, "dispatch_idea": one_idea}


def fits(
    state: State, clusters: list[Cluster], ranks: list[Rank], made: list[Assignment], asked: int, first: bool, on: bool
) -> None:
    """All that must hold of assignments, from the rows alone."""
    waiting = {one.index: [n for n in one.idea_ids if n not in state.tried()] for one in clusters}
    assert len(made) == min(asked, sum(map(len, waiting.values())))
    begin = sum(state.done) + 1
    assert [one.branch for one in made] == list(range(begin, begin + len(made)))
    assert len(set(names_of(made))) == len(made)
    actions = {(one.cluster, one.cluster_action) for one in made}
    assert len({name for name, _ in actions}) == len(actions)
    if on and len(made) >= 2 and sum(map(bool, waiting.values())) >= 2:
        assert len(actions) >= 2
        assert EXPLORE in {action for _, action in actions}
    for one in made:
        assert one.cluster is not None
        assert one.idea is not None
        assert one.idea.id in waiting[one.cluster]
        assert one.parents == state.parents_of(one.idea)
        fits_action(state, ranks, one, waiting[one.cluster], first, on)
        waiting[one.cluster].remove(one.idea.id)


def fits_action(state: State, ranks: list[Rank], one: Assignment, left: list[str], first: bool, on: bool) -> None:
    assert one.idea is not None
    own = {row.idea_id: row.rank for row in ranks if row.cluster == one.cluster and row.idea_id in left}
    assert one.rank == (sorted(set(own.values())).index(own[one.idea.id]) + 1 if own else None)
    assert one.of == (len(left) if own else None)
    best, tied = one.rank in (1, None), len(set(own.values())) <= 1
    if not on:
        assert (one.cluster_action, one.idea_action_asked, one.idea_action_done) == (None, None, None)
        return
    assert one.cluster_action is not None
    assert one.idea_action_asked is not None
    assert one.idea_action_done == (EXPLOIT if first else one.idea_action_asked)
    if one.idea_action_done is EXPLORE:
        assert not best or tied
        assert one.deviation is None
    elif best:
        assert one.deviation is None
    else:
        assert one.deviation
        assert one.idea.parent_id in scores_well(state)


@given(seeds, st.integers(0, 6), st.booleans(), st.sampled_from(["careless", "scripted", "silent"]))
@settings(max_examples=200, deadline=None)
async def test_whatever_a_manager_says_the_rules_hold(seed: int, asked: int, on: bool, kind: str) -> None:
    state, clusters, ranks = any_search(seed)
    rules = {"careless": careless(seed), "scripted": RULES, "silent": {}}[kind]
    manager = Manager(rules, seed)
    made = await dispatch(manager, state, clusters, ranks, asked, not state.done, on)
    fits(state, clusters, ranks, made, asked, not state.done, on)
    if kind == "scripted":
        assert manager.refused == {}
        assert not any(one.fallback for one in made)
    if kind == "silent":
        assert all(one.fallback for one in made)


def two_clusters() -> tuple[State, list[Cluster], list[Rank]]:
    """Five untried ideas in cluster 1, ranked 1 1 2 3 4, and two in cluster 2."""
    state = state_of(*(idea(number) for number in range(1, 8)))
    clusters = [cluster(1, "i001", "i002", "i003", "i004", "i005"), cluster(2, "i006", "i007")]
    ranked = zip(("i001", "i002", "i003", "i004", "i005"), (1, 1, 2, 3, 4), strict=True)
    ranks = [rank(1, None, 1), rank(2, None, 2), *(rank(1, name, place) for name, place in ranked)]
    return state, clusters, [*ranks, rank(2, "i006", 1), rank(2, "i007", 2)]


def said(
    shares: Sequence[tuple[int, Action | None, int]], branches: Sequence[tuple[int, Action | None, Action | None]]
) -> Rule:
    def rule(payload: Payload, seed: int) -> ClusterDispatch:
        return ClusterDispatch(
            rationale="r",
            clusters=tuple(ClusterShare(cluster=a, action=b, n_branches=c) for a, b, c in shares),
            branches=tuple(BranchPlace(cluster=a, cluster_action=b, idea_action=c) for a, b, c in branches),
        )

    return rule


def picks(*names: str, deviation: str | None = None) -> Rule:
    """Takes the named ideas, one after the other."""
    left = list(names)
    return lambda payload, seed: IdeaChoice(idea_id=left.pop(0), deviation=deviation, rationale="picked")


ONE, TWO = (1, EXPLOIT, EXPLOIT), (2, EXPLORE, EXPLOIT)


@pytest.mark.parametrize(
    ("shares", "branches", "wrong"),
    [
        ([(1, EXPLOIT, 2), (2, EXPLORE, 1)], [ONE, ONE, TWO], ""),
        ([(1, EXPLOIT, 2), (2, EXPLORE, 1), (3, EXPLORE, 0)], [ONE, ONE, TWO], "there is no cluster 3"),
        ([(1, EXPLOIT, 1), (1, EXPLOIT, 1), (2, EXPLORE, 1)], [ONE, ONE, TWO], "cluster 1 more than once"),
        ([(2, EXPLORE, 3)], [TWO, TWO, TWO], "cluster 2 has 2 unevaluated ideas, so n_branches cannot be 3"),
        ([(1, EXPLOIT, 4), (2, EXPLORE, -1)], [ONE, ONE, ONE], "n_branches cannot be -1"),
        ([(1, EXPLOIT, 1), (2, EXPLORE, 1)], [ONE, TWO], "add up to 2; they must add up to exactly 3"),
        ([(1, EXPLOIT, 2), (2, EXPLORE, 1)], [ONE, TWO], "holds 2 entries; it must hold exactly 3"),
        ([(1, EXPLOIT, 2), (2, EXPLORE, 1)], [ONE, TWO, TWO], "1 entries for cluster 1, but its n_branches is 2"),
        ([(1, EXPLOIT, 2), (2, EXPLORE, 1)], [ONE, (1, EXPLORE, EXPLOIT), TWO], "another cluster_action"),
        ([(1, EXPLOIT, 2), (2, None, 1)], [ONE, ONE, TWO], "cluster 2 has no action"),
        (
            [(1, EXPLOIT, 2), (2, EXPLORE, 1)],
            [ONE, (1, EXPLOIT, None), TWO],
            "entry 2 of `branches` has no idea_action",
        ),
        ([(1, EXPLORE, 3), (2, EXPLORE, 0)], [(1, EXPLORE, EXPLOIT)] * 3, "all branches go to cluster 1"),
        ([(1, EXPLOIT, 2), (2, EXPLOIT, 1)], [ONE, ONE, (2, EXPLOIT, EXPLORE)], "every cluster is exploited"),
        ([(1, EXPLORE, 2), (2, EXPLORE, 1)], [(1, EXPLORE, EXPLOIT)] * 2 + [TWO], ""),
    ],
)
def test_what_is_wrong_with_stage_a_is_said(
    shares: list[tuple[int, Action | None, int]],
    branches: list[tuple[int, Action | None, Action | None]],
    wrong: str,
) -> None:
    payload = clusters_payload(*two_clusters(), branches=3, first=False, actions=True)
    reply = said(shares, branches)(payload, 0)
    found = DISPATCH_CLUSTERS.problem(ClusterDispatch.model_validate(reply.model_dump()), payload)
    assert wrong in found
    assert bool(found) == bool(wrong)


@pytest.mark.parametrize("why", ["one branch", "one cluster holds ideas", "no actions"])
def test_one_cluster_alone_is_exploited_where_there_is_no_choice(why: str) -> None:
    state, clusters, ranks = two_clusters()
    branches = 1 if why == "one branch" else 3
    if why == "one cluster holds ideas":
        state.attempts = [attempt(1, "i006", None), attempt(2, "i007", 0.1)]
    payload = clusters_payload(state, clusters, ranks, branches, first=False, actions=why != "no actions")
    reply = said([(1, EXPLOIT, branches)], [ONE] * branches)(payload, 0)
    assert DISPATCH_CLUSTERS.problem(ClusterDispatch.model_validate(reply.model_dump()), payload) == ""


async def test_an_earlier_branch_takes_an_idea_from_later_ones_and_ranks_close_up() -> None:
    state, clusters, ranks = two_clusters()
    rules = {
        "dispatch_clusters": said([(1, EXPLOIT, 4)], [ONE] * 4),
        "dispatch_idea": picks("i002", "i001", "i003", "i004"),
    }
    manager = Manager(rules)
    made = await dispatch(manager, state, clusters[:1], ranks, 4, first=False)
    assert names_of(made) == ["i002", "i001", "i003", "i004"]
    assert [(one.rank, one.of) for one in made] == [(1, 5), (1, 4), (1, 3), (1, 2)]
    assert manager.refused == {}
    shown = manager.asked["01.dispatch.b03"]
    assert [row["id"] for row in shown["candidates"]] == ["i003", "i004", "i005"]
    assert [(row["branch"], row["idea_id"]) for row in shown["taken"]] == [(1, "i002"), (2, "i001")]


def candidates(*rows: tuple[str, int | None, bool], action: Action | None) -> Payload:
    shown = [{"id": name, "rank": place, "parent_scores_well": well} for name, place, well in rows]
    return {"candidates": shown, "action": action}


MIXED = (("a", 1, False), ("b", 1, False), ("c", 2, True), ("d", 3, False))
TIED = (("a", 1, False), ("b", 1, False))


@pytest.mark.parametrize(
    ("rows", "action", "name", "deviation", "wrong"),
    [
        (MIXED, EXPLOIT, "b", None, ""),
        (MIXED, EXPLOIT, "z", None, "'z' is none of the candidates: a, b, c, d"),
        (MIXED, EXPLOIT, "d", "I like it", "neither the best rank nor a parent that scored well"),
        (MIXED, EXPLOIT, "c", "  ", "`deviation` must say why"),
        (MIXED, EXPLOIT, "c", "its parent is the best", ""),
        (MIXED, EXPLORE, "a", None, "exploring means to take one of the others"),
        (MIXED, EXPLORE, "d", None, ""),
        (TIED, EXPLORE, "a", None, ""),
        ((("a", 1, False),), EXPLORE, "a", None, ""),
        ((("a", None, False), ("b", None, False)), EXPLORE, "b", None, ""),
        ((("a", None, False), ("b", None, False)), EXPLOIT, "b", None, ""),
        (MIXED, None, "d", None, ""),
    ],
)
def test_what_is_wrong_with_stage_b_is_said(
    rows: tuple[tuple[str, int | None, bool], ...],
    action: Action | None,
    name: str,
    deviation: str | None,
    wrong: str,
) -> None:
    payload = candidates(*rows, action=action)
    found = DISPATCH_IDEA.problem(IdeaChoice(idea_id=name, deviation=deviation), payload)
    assert wrong in found
    assert bool(found) == bool(wrong)
    assert DISPATCH_IDEA.problem(DISPATCH_IDEA.fallback(payload), payload) == ""


async def test_the_first_iteration_exploits_ideas_whatever_is_asked() -> None:
    state, clusters, ranks = two_clusters()
    branches = [(1, EXPLOIT, EXPLORE), (2, EXPLORE, EXPLOIT)]
    rules = {"dispatch_clusters": said([(1, EXPLOIT, 1), (2, EXPLORE, 1)], branches)}
    made = await dispatch(Manager(rules), state, clusters, ranks, 2, first=True)
    assert [(one.idea_action_asked, one.idea_action_done) for one in made] == [(EXPLORE, EXPLOIT), (EXPLOIT, EXPLOIT)]
    assert names_of(made) == ["i001", "i006"]
    state.iteration, state.done = 2, [2]
    later = await dispatch(Manager(rules), state, clusters, ranks, 2, first=False)
    assert later[0].idea_action_done is EXPLORE
    assert later[0].rank == 2
    assert [one.branch for one in later] == [3, 4]


async def test_a_child_of_a_good_parent_goes_before_the_best_rank_and_the_reason_is_kept() -> None:
    ideas = [idea(1), idea(2), idea(3), idea(4, parent="i001"), idea(5, parent="i002")]
    state = state_of(*ideas)
    state.attempts = [attempt(1, "i001", 0.8), attempt(2, "i002", 0.2), attempt(3, "i001", 0.5)]
    state.iteration, state.done = 2, [3]
    clusters = [cluster(1, *state.ideas)]
    ranks = [rank(1, "i003", 1), rank(1, "i004", 2), rank(1, "i005", 3)]
    stage_a = said([(1, EXPLOIT, 1)], [ONE])
    for name, deviation, stands in (
        ("i004", "Its parent is the best.", True),
        ("i005", "Its parent is worth it.", False),
        ("i003", "No need to say.", True),
    ):
        manager = Manager({"dispatch_clusters": stage_a, "dispatch_idea": picks(name, deviation=deviation)})
        (made,) = await dispatch(manager, state, clusters, ranks, 1, first=False)
        assert names_of([made]) == ["i004" if name == "i004" else "i003"]
        assert made.fallback is not stands
        assert made.deviation == ("Its parent is the best." if name == "i004" else None)
        assert made.parents == ((1,) if name == "i004" else ())
    assert "which scored 80.0: one of the better half" in manager.prompts["02.dispatch.b04"]


async def test_a_small_pool_has_fewer_branches_and_an_empty_one_none() -> None:
    state, clusters, ranks = two_clusters()
    state.attempts = [attempt(at, name, 0.5) for at, name in enumerate(["i001", "i002", "i003", "i004", "i006"], 1)]
    manager = Manager()
    made = await dispatch(manager, state, clusters, ranks, 5, first=False)
    assert names_of(made) == ["i005", "i007"]
    assert manager.asked.keys() == {"01.dispatch"}  # with one idea left in a cluster, there is nothing to ask
    state.attempts += [attempt(6, "i005", None), attempt(7, "i007", None)]
    assert await dispatch(Manager(), state, clusters, ranks, 5, first=False) == []


async def test_without_actions_none_is_asked_for_and_none_kept() -> None:
    state, clusters, ranks = two_clusters()
    rules = {"dispatch_clusters": said([(1, EXPLOIT, 1)], [ONE]), "dispatch_idea": picks("i005")}
    manager = Manager(rules)
    (made,) = await dispatch(manager, state, clusters, ranks, 1, first=True, actions=False)
    assert (made.cluster_action, made.idea_action_asked, made.idea_action_done) == (None, None, None)
    assert (names_of([made]), made.rank, made.of, made.fallback) == (["i005"], 4, 5, False)
    assert '"explore"' not in manager.prompts["01.dispatch"]


async def test_the_dispatcher_is_told_what_was_chosen_before() -> None:
    state, clusters, ranks = two_clusters()
    for row in clusters:
        state.add("clusters", row)
    for one in await dispatch(Manager(), state, clusters, ranks, 2, first=True):
        state.add("assignments", one)
    state.attempts = [attempt(1, "i001", 0.456), attempt(2, "i006", None)]
    state.done, state.iteration = [2], 2
    manager = Manager()
    await dispatch(manager, state, clusters, ranks, 2, first=False)
    first, second = manager.asked["02.dispatch"]["history"]
    assert (first["iteration"], first["branch"], first["title"], first["score"]) == (1, 1, "Title 1", 45.6)
    assert (first["cluster"], first["cluster_action"], first["idea_action"]) == ("Label 1", "exploit", "exploit")
    assert (second["cluster"], second["cluster_action"], second["score"]) == ("Label 2", "explore", None)
    (one, two) = manager.asked["02.dispatch"]["clusters"]
    assert (one["evaluated"], one["unevaluated"], one["best"], one["mean"]) == (1, 4, 45.6, 45.6)
    assert (two["evaluated"], two["unevaluated"], two["best"], two["mean"]) == (1, 1, None, None)


async def test_by_rule_a_single_branch_goes_to_the_best_cluster_and_to_its_best_idea_more_often_than_not() -> None:
    state, clusters, ranks = two_clusters()
    made = [await dispatch(Manager(RULES, seed), state, clusters, ranks, 1, False) for seed in range(40)]
    assert {one.cluster for (one,) in made} == {1}
    assert sum(one.rank == 1 for (one,) in made) > 20


async def test_by_rule_the_first_iteration_is_dealt_out_evenly_and_a_later_one_is_not() -> None:
    state, clusters, ranks = two_clusters()
    even = await dispatch(Manager(RULES, 1), state, clusters, ranks, 4, True)
    assert [one.cluster for one in even] == [1, 1, 2, 2]
    state.welcome([idea(8)])
    state.attempts, state.done = [attempt(1, "i008", 0.5)], [1]
    later = await dispatch(Manager(RULES, 1), state, clusters, ranks, 4, False)
    assert [one.cluster for one in later] == [1, 1, 2, 2]
    state.attempts = [attempt(branch, "i008", 0.5) for branch in range(1, 21)]
    state.done = [20]
    last = await dispatch(Manager(RULES, 1), state, clusters, ranks, 4, False)
    assert [one.cluster for one in last] == [1, 1, 1, 2]
