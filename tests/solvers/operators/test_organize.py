"""Organize: two to five clusters that hold every idea once, whatever a model says; clusters that last."""

import asyncio
import json
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pools import Answers, Script, attempt, idea, state_of, states

from actors.recorded import Recorded
from solvers.attempt import AttemptRole
from solvers.idea import Cluster
from solvers.operators.council import Council
from solvers.operators.organize import ORGANIZE, Grouping, Organization, one_cluster, organize
from solvers.scripted.organize import RULES
from solvers.state import State


def group(label: str, *ids: str) -> Grouping:
    return Grouping(label=label, theme="", idea_ids=ids, rationale="")


def reply(*groups: Sequence[str]) -> Organization:
    return Organization(clusters=tuple(group(f"c{number}", *ids) for number, ids in enumerate(groups)))


def sound(state: State, clusters: list[Cluster]) -> None:
    """What holds of clusters, whoever made them."""
    placed = [name for cluster in clusters for name in cluster.idea_ids]
    assert sorted(placed) == sorted(state.ideas)
    assert min(2, len(state.ideas)) <= len(clusters) <= min(5, len(state.ideas))
    assert [cluster.index for cluster in clusters] == list(range(1, len(clusters) + 1))
    for cluster in clusters:
        assert cluster.idea_ids
        assert 1 <= len(cluster.label.split()) <= 6
        assert cluster.iteration == state.iteration
    assert [(table, row) for table, row, _ in state.rows] == [("clusters", cluster) for cluster in clusters]


REPLIES = st.builds(
    Organization,
    clusters=st.lists(
        st.builds(
            group,
            st.just("seven words are one more than six"),
            st.sampled_from([f"i{number:03d}" for number in range(1, 6)]),
            st.sampled_from([f"i{number:03d}" for number in range(1, 6)]),
        )
        | st.builds(group, st.just("one"), st.sampled_from([f" i{number:03d}" for number in range(1, 6)])),
        max_size=6,
    ).map(tuple),
)


@settings(max_examples=50, deadline=None)
@given(states(), REPLIES)
def test_any_reply_is_refused_or_makes_sound_clusters(state: State, said: Organization) -> None:
    clusters = asyncio.run(organize(Answers(lambda *_: said), state, []))
    sound(state, clusters)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.lists(st.sampled_from([f"i{n:03d}" for n in range(1, 6)]), max_size=3), max_size=6))
def test_the_problem_is_exactly_that_it_is_no_partition_into_two_to_five(groups: list[list[str]]) -> None:
    pool = {"pool": [{"id": f"i{number:03d}"} for number in range(1, 5)]}
    partition = sorted(name for ids in groups for name in ids) == ["i001", "i002", "i003", "i004"]
    stands = partition and all(groups) and 2 <= len(groups) <= 5
    assert (ORGANIZE.problem(reply(*groups), pool) == "") == stands


@settings(max_examples=50, deadline=None)
@given(states(), st.integers(0, 12), st.integers(0, 2**31), st.booleans())
def test_without_a_model_and_by_rule_clusters_are_sound_from_map_to_map(
    state: State, known: int, seed: int, ruled: bool
) -> None:
    whole = dict(state.ideas)
    state.ideas = dict(list(whole.items())[:known])
    answers = Answers(lambda name, payload: RULES[name](payload, seed) if ruled else None)
    first = asyncio.run(organize(answers, state, []))
    sound(state, first)
    state.ideas, state.rows, state.iteration = whole, [], state.iteration + 1
    second = asyncio.run(organize(answers, state, first))
    sound(state, second)
    assert answers.problems == []
    assert {cluster.fallback for cluster in second} == ({not ruled and len(whole) > 1} if whole else set())
    if not ruled and len(first) >= 2:
        assert [cluster.label for cluster in first] == [cluster.label for cluster in second]
        pairs = zip(first, second, strict=True)
        assert all(set(before.idea_ids) <= set(after.idea_ids) for before, after in pairs)


@pytest.mark.parametrize(
    ("groups", "problem"),
    [
        ([["i001", "i002", "i003"]], "there were 1 clusters and not 2 to 3"),
        ([["i001"], ["i002"], ["i003"], []], "there were 4 clusters and not 2 to 3"),
        ([["i001", "i002", "i003"], []], "the cluster 'c1' is empty"),
        ([["i001"], ["i002", "i009"]], "i009: not in the pool; i003: in no cluster"),
        ([["i001", "i002"], ["i002", "i003"]], "i002: placed more than once"),
        ([["i001", "i002"], ["i003", "i003"]], "i003: placed more than once"),
    ],
)
async def test_a_reply_that_is_no_partition_is_told_so(groups: list[list[str]], problem: str) -> None:
    answers = Answers(lambda *_: reply(*groups))
    clusters = await organize(answers, state_of(idea(1), idea(2), idea(3)), [])
    assert answers.problems[0].endswith(problem)
    assert all(cluster.fallback for cluster in clusters)


async def test_a_label_is_cut_to_six_words() -> None:
    said = Organization(clusters=(group("one two three four five six seven", "i001"), group("b", "i002")))
    clusters = await organize(Answers(lambda *_: said), state_of(idea(1), idea(2)), [])
    assert clusters[0].label == "one two three four five six"
    assert not clusters[0].fallback


async def test_without_a_model_ideas_are_grouped_by_what_they_share() -> None:
    pool = [idea(1, "x", ("a",)), idea(2, "y", ("b",)), idea(3, "z", ("a", "c")), idea(4, "w", ("b", "d"))]
    clusters = await organize(Answers(), state_of(*pool, techniques=4), [])
    assert [cluster.idea_ids for cluster in clusters] == [("i001", "i003"), ("i002", "i004")]
    words = [idea(1, "prefetch keys"), idea(2, "huge pages"), idea(3, "prefetch buckets"), idea(4, "pages kept")]
    clusters = await organize(Answers(), state_of(*words), [])
    assert [cluster.idea_ids for cluster in clusters] == [("i001", "i003"), ("i002", "i004")]


async def test_without_a_model_a_child_joins_its_parent_even_where_it_looks_like_another() -> None:
    pool = [idea(1, "prefetch keys"), idea(2, "huge pages"), idea(3, "huge pages again", parent="i001")]
    state = state_of(*pool)
    previous = [
        Cluster(iteration=1, index=1, label="p", theme="", idea_ids=("i001",), rationale="", fallback=False),
        Cluster(iteration=1, index=2, label="h", theme="", idea_ids=("i002",), rationale="", fallback=False),
    ]
    clusters = await organize(Answers(), state, previous)
    assert [(cluster.label, cluster.idea_ids) for cluster in clusters] == [("p", ("i001", "i003")), ("h", ("i002",))]


async def test_the_pool_is_shown_with_what_came_of_it() -> None:
    tried = (
        attempt(1, "i001", 0.9),
        attempt(2, "i001", 0.31415),
        attempt(3, "i002", None),
        attempt(4, "i003", 0.8, AttemptRole.DISCARDED),
    )
    answers = Answers()
    await organize(answers, state_of(*map(idea, range(1, 5)), attempts=tried, iteration=5), [])
    _, payload = answers.asked["05.organize"]
    shown = [(one["tried"], one["iteration"], one["score"], one["success"]) for one in payload["pool"]]
    assert shown == [
        (True, 2, 31.4, True),
        (True, 3, None, False),
        (True, None, None, None),
        (False, None, None, None),
    ]
    assert payload["branches_left"] == 25


async def test_one_idea_is_one_cluster_and_nobody_is_asked() -> None:
    answers = Answers()
    assert await organize(answers, state_of(), []) == []
    assert [one.idea_ids for one in await organize(answers, state_of(idea(1)), [])] == [("i001",)]
    assert answers.asked == {}
    state = state_of(idea(1), idea(2), idea(3))
    assert [one.idea_ids for one in one_cluster(state)] == [("i001", "i002", "i003")]
    assert len(state.rows) == 1


async def test_by_rule_clusters_are_led_by_a_technique() -> None:
    pool = [idea(n, f"idea {n}", used) for n, used in enumerate([("a",), ("b", "c"), ("a", "c"), ("b",), ()], 1)]
    answers = Answers(lambda name, payload: RULES[name](payload, 0))
    clusters = await organize(answers, state_of(*pool, techniques=3), [])
    assert [(one.label, one.idea_ids) for one in clusters] == [
        ("a", ("i001", "i003")),
        ("b", ("i002", "i004")),
        ("the rest", ("i005",)),
    ]


async def test_a_council_that_is_told_nonsense_twice_falls_back() -> None:
    half = {"label": "x", "theme": "", "idea_ids": ["i001"], "rationale": "", "colour": "red"}
    lines = ["no JSON at all", json.dumps({"K": 2, "clusters": [half, half]})]
    model = Script(lambda request: lines.pop(0))
    council = Council("unit", model, Recorded(), None)
    clusters = await organize(council, state_of(idea(1), idea(2)), [])
    assert [(one.idea_ids, one.fallback) for one in clusters] == [(("i001",), True), (("i002",), True)]
    assert [call.part for call in council.calls] == ["01.organize", "01.organize"]
    assert "not a valid Organization: no JSON at all" in model.requests[1].messages()[1]["content"]
