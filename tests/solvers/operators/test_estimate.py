"""Estimate: dense ranks of clusters and of untried ideas, by a model, by rule and by scores alone."""

import asyncio
import json
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pools import Answers, Script, attempt, idea, state_of, states

from actors.prompt import Request
from actors.recorded import Recorded
from actors.row import Row
from solvers.attempt import AttemptRole
from solvers.idea import Cluster, Lesson, Rank
from solvers.operators.council import Council
from solvers.operators.estimate import (
    ESTIMATE_IDEAS,
    ClusterRank,
    ClusterRanks,
    IdeaRank,
    IdeaRanks,
    estimate,
)
from solvers.operators.operator import Payload
from solvers.scripted.estimate import RULES
from solvers.state import State


def cluster(index: int, *ids: str, iteration: int = 1) -> Cluster:
    return Cluster(
        iteration=iteration, index=index, label=f"c{index}", theme="t", idea_ids=ids, rationale="", fallback=False
    )


def dealt(state: State, count: int) -> list[Cluster]:
    """The pool in clusters, in turn."""
    names = list(state.ideas)
    parts = [names[at::count] for at in range(count)]
    return [cluster(at, *ids, iteration=state.iteration) for at, ids in enumerate(filter(None, parts), 1)]


def sound(state: State, clusters: Sequence[Cluster], ranks: list[Rank]) -> None:
    """What holds of ranks, whoever made them."""
    untried = {one.id for one in state.untried()}
    first = [rank for rank in ranks if rank.idea_id is None]
    assert [rank.cluster for rank in first] == [one.index for one in clusters]
    assert {rank.of for rank in first} <= {len(clusters)}
    groups = [first]
    for one in clusters:
        own = [rank for rank in ranks if rank.cluster == one.index and rank.idea_id is not None]
        assert [rank.idea_id for rank in own] == [name for name in state.ideas if name in untried & {*one.idea_ids}]
        assert {rank.of for rank in own} <= {len(own)}
        groups.append(own)
    for own in groups:
        said = {rank.rank for rank in own}
        assert said == set(range(1, len(said) + 1))
    assert sum(map(len, groups)) == len(ranks)
    assert {rank.iteration for rank in ranks} <= {state.iteration}
    assert [(table, row) for table, row, _ in state.rows] == [("ranks", rank) for rank in ranks]


@settings(max_examples=50, deadline=None)
@given(states(), st.integers(1, 5), st.data())
def test_any_reply_is_refused_or_makes_sound_ranks(state: State, count: int, data: st.DataObject) -> None:
    def say(name: str, payload: Payload) -> Row:
        numbers = st.integers(0, 3)
        if name == "estimate_clusters":
            asked = [one["index"] for one in payload["clusters"]]
            drawn = data.draw(st.lists(st.sampled_from([*asked, 9]), max_size=3) | st.permutations(asked))
            return ClusterRanks(
                ranks=tuple(ClusterRank(cluster=one, rationale="", rank=data.draw(numbers)) for one in drawn)
            )
        ids = [one["id"] for one in payload["ideas"]]
        chosen = data.draw(st.lists(st.sampled_from([*ids, "i099"]), max_size=3) | st.permutations(ids))
        return IdeaRanks(ranks=tuple(IdeaRank(idea_id=one, rationale="", rank=data.draw(numbers)) for one in chosen))

    clusters = dealt(state, count)
    sound(state, clusters, asyncio.run(estimate(Answers(say), state, clusters, True)))


@settings(max_examples=50, deadline=None)
@given(states(), st.integers(1, 5), st.integers(0, 2**31))
def test_without_a_model_and_by_rule_ranks_are_sound(state: State, count: int, seed: int) -> None:
    clusters = dealt(state, count)
    ruled = Answers(lambda name, payload: RULES[name](payload, seed))
    for answers in (ruled, Answers()):
        state.rows = []
        sound(state, clusters, asyncio.run(estimate(answers, state, clusters, False)))
    assert ruled.problems == []


@pytest.mark.parametrize(
    ("ranks", "problem"),
    [
        ([("i001", 1), ("i002", 1)], ""),
        ([("i002", 1), ("i001", 2)], ""),
        ([("i001", 1), ("i002", 3)], "ranks are dense, 1, 2, 3 and so on with ties but without gaps; they were 1, 3"),
        ([("i001", 0), ("i002", 1)], "ranks are dense, 1, 2, 3 and so on with ties but without gaps; they were 0, 1"),
        ([("i001", 2), ("i002", 2)], "ranks are dense, 1, 2, 3 and so on with ties but without gaps; they were 2"),
        ([("i001", 1)], "each of the ideas i001, i002 needs exactly one rank, and nothing else has one"),
        ([("i001", 1), ("i003", 2)], "each of the ideas i001, i002 needs exactly one rank, and nothing else has one"),
        ([("i001", 1), ("i002", 2), ("i002", 2)], "each of the ideas i001, i002 needs exactly one rank"),
    ],
)
def test_what_dense_ranks_are(ranks: list[tuple[str, int]], problem: str) -> None:
    said = IdeaRanks(ranks=tuple(IdeaRank(idea_id=name, rationale="", rank=rank) for name, rank in ranks))
    found = ESTIMATE_IDEAS.problem(said, {"ideas": [{"id": "i001"}, {"id": "i002"}]})
    assert found.startswith(problem)
    assert bool(found) == bool(problem)


def by_cluster(ranks: list[Rank]) -> dict[int, int]:
    return {rank.cluster: rank.rank for rank in ranks if rank.idea_id is None}


def by_idea(ranks: list[Rank]) -> dict[str, int]:
    return {rank.idea_id: rank.rank for rank in ranks if rank.idea_id is not None}


async def test_without_a_model_the_unknown_stands_between_what_did_well_and_what_did_badly() -> None:
    scores = {1: 0.2, 2: 0.8, 3: 0.5, 4: None, 5: 0.8, 6: 0.9}
    tried = tuple(attempt(number, f"i{number:03d}", score) for number, score in scores.items())
    state = state_of(*map(idea, range(1, 9)), attempts=tried)
    clusters = [
        *(cluster(1, "i001"), cluster(2, "i002"), cluster(3, "i003"), cluster(4, "i004")),
        *(cluster(5, "i005", "i006"), cluster(6, "i007"), cluster(7, "i008")),
    ]
    ranks = by_cluster(await estimate(Answers(), state, clusters, True))
    assert ranks == {5: 1, 2: 2, 6: 3, 7: 3, 3: 4, 1: 5, 4: 6}


async def test_without_a_model_equal_best_scores_are_told_apart_by_the_mean() -> None:
    scores = [0.9, 0.1, 0.9, 0.3]
    tried = tuple(attempt(number, f"i{number:03d}", score) for number, score in enumerate(scores, 1))
    state = state_of(*map(idea, range(1, 5)), attempts=tried)
    clusters = [cluster(1, "i001", "i002"), cluster(2, "i003", "i004")]
    assert by_cluster(await estimate(Answers(), state, clusters, True)) == {1: 2, 2: 1}


async def test_without_a_model_ideas_go_by_their_parents_score_and_then_by_arrival() -> None:
    ideas = [idea(1), idea(2), idea(3), idea(4, parent="i001"), idea(5, parent="i002"), idea(6, parent="i001"), idea(7)]
    tried = (attempt(1, "i001", 0.1), attempt(2, "i001", 0.4), attempt(3, "i002", 0.7), attempt(4, "i003", None))
    state = state_of(*ideas, attempts=tried)
    ranks = await estimate(Answers(), state, [cluster(1, *state.ideas)], True)
    assert by_idea(ranks) == {"i005": 1, "i004": 2, "i006": 3, "i007": 4}
    assert {rank.fallback for rank in ranks if rank.idea_id} == {True}


async def test_each_stage_sees_its_own_evidence() -> None:
    ideas = [idea(1), idea(2), idea(3), idea(4), idea(5, parent="i001"), idea(6), idea(7)]
    tried = (
        attempt(1, "i001", 0.5),
        attempt(2, "i002", 0.25),
        attempt(3, "i003", None),
        attempt(4, "i004", 0.9, AttemptRole.DISCARDED),
    )
    state = state_of(*ideas, attempts=tried, iteration=2)
    state.lessons.append(Lesson(iteration=1, tag="works", lesson="It pays.", context_idea="i001", fallback=False))
    clusters = [cluster(1, *list(state.ideas)[:6], iteration=2), cluster(2, "i007", iteration=2)]
    answers = Answers()
    await estimate(answers, state, clusters, True)
    assert set(answers.asked) == {"02.estimate", "02.estimate.c1"}
    first = answers.asked["02.estimate"][1]
    assert first["clusters"][0] == {
        "index": 1,
        "label": "c1",
        "theme": "t",
        "ideas": 6,
        "evaluated": 2,
        "failed": 1,
        "untried": 2,
        "best": 50.0,
        "mean": 37.5,
    }
    assert first["lessons"] == [{"tag": "works", "lesson": "It pays.", "context_idea": "i001"}]
    second = answers.asked["02.estimate.c1"][1]
    assert second["cluster"] == {"label": "c1", "theme": "t", "rank": 1, "of": 2}
    assert [(one["id"], one["parent_score"]) for one in second["ideas"]] == [("i005", 50.0), ("i006", None)]
    assert "lessons" not in second
    unlearnt = Answers()
    await estimate(unlearnt, state, clusters, False)
    assert unlearnt.asked["02.estimate"][1]["lessons"] == []


async def test_work_without_an_idea_is_no_evidence_for_an_idea_without_a_parent() -> None:
    loose = attempt(1, "i001", 0.9).model_copy(update={"idea_id": None, "assigned_idea_id": None})
    answers = Answers()
    state = state_of(idea(1), idea(2), attempts=(loose,))
    await estimate(answers, state, [cluster(1, "i001", "i002")], True)
    assert [one["parent_score"] for one in answers.asked["01.estimate.c1"][1]["ideas"]] == [None, None]


async def test_what_is_alone_is_ranked_without_asking() -> None:
    answers = Answers()
    ranks = await estimate(answers, state_of(idea(1)), [cluster(1, "i001")], True)
    assert [(rank.idea_id, rank.rank, rank.of, rank.fallback) for rank in ranks] == [
        (None, 1, 1, False),
        ("i001", 1, 1, False),
    ]
    assert answers.asked == {}


async def test_by_rule_the_cluster_that_scored_best_is_first_and_children_of_a_good_parent_too() -> None:
    ideas = [idea(1), idea(2), idea(3, parent="i001"), idea(4, parent="i002")]
    state = state_of(*ideas, attempts=(attempt(1, "i001", 0.2), attempt(2, "i002", 0.9)))
    answers = Answers(lambda name, payload: RULES[name](payload, 1))
    assert by_cluster(await estimate(answers, state, [cluster(1, "i001"), cluster(2, "i002")], True)) == {1: 2, 2: 1}
    assert by_idea(await estimate(Answers(answers.say), state, [cluster(1, *state.ideas)], True)) == {
        "i003": 2,
        "i004": 1,
    }


async def test_a_council_keeps_the_parallel_consultations_apart() -> None:
    def say(request: Request) -> str:
        if request.prompt == "estimate_clusters":
            said = [{"cluster": index, "rationale": "", "rank": 3 - index, "sure": True} for index in (1, 2)]
        else:
            ids = [one["id"] for one in request.values["ideas"]]  # type: ignore[attr-defined]
            said = [{"idea_id": name, "rationale": "", "rank": rank} for rank, name in enumerate(reversed(ids), 1)]
        return json.dumps({"ranks": said})

    state = state_of(*map(idea, range(1, 5)))
    council = Council("unit", Script(say), Recorded(), None)
    ranks = await estimate(council, state, [cluster(1, "i001", "i002"), cluster(2, "i003", "i004")], True)
    assert by_cluster(ranks) == {1: 2, 2: 1}
    assert by_idea(ranks) == {"i001": 2, "i002": 1, "i003": 2, "i004": 1}
    assert {rank.fallback for rank in ranks} == {False}
    assert [call.part for call in council.calls] == ["01.estimate", "01.estimate.c1", "01.estimate.c2"]
