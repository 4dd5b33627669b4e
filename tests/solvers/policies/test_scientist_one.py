"""ScientistOne: K different ideas are kept, E versions of each begin with its best code, the rest is new."""

import pytest
from policy_search import Fallbacks, names, search, sizes, state

from solvers.assignment import Assignment
from solvers.policies.scientist_one import INSTRUCTION, ScientistOne, ScientistOneSettings, beam, line, spent
from solvers.state import State


async def searched(keep: int = 2, versions: int = 2, seed: int = 0) -> tuple[State, list[list[Assignment]]]:
    at = state(seed)
    settings = ScientistOneSettings(keep=keep, versions=versions)
    made = await search(ScientistOne(settings, Fallbacks()), at)
    return at, [[one for one in made if one.iteration == number] for number in range(1, at.iteration + 1)]


def lines(at: State, planned: list[Assignment]) -> list[str]:
    return [line(at, one.idea.id) for one in planned if one.idea and one.operator == "improve"]


async def test_the_first_iteration_drafts_and_later_ones_hold_k_ideas_e_versions_each() -> None:
    at, iterations = await searched()
    assert [one.operator for one in iterations[0]] == ["draft"] * 5
    for planned in iterations[1:]:
        assert [one.operator for one in planned] == ["improve"] * 4 + ["draft"]
        first, again, second, too = lines(at, planned)
        assert first == again != second == too


async def test_what_is_kept_are_the_ideas_with_the_best_scores_so_far() -> None:
    at, iterations = await searched()
    before = [one for one in at.counted if one.iteration == 1 and one.score is not None]
    ranked = sorted(before, key=lambda one: -(one.score or 0.0))
    assert lines(at, iterations[1])[::2] == [one.idea_id for one in ranked[:2]]
    assert [one.parents for one in iterations[1]] == [
        (ranked[0].branch,), (ranked[0].branch,), (ranked[1].branch,), (ranked[1].branch,), (),
    ]  # fmt: skip


@pytest.mark.parametrize(("keep", "versions", "drafts"), [(1, 1, 4), (3, 1, 2), (2, 2, 1), (5, 1, 0), (4, 3, 0)])
async def test_the_other_branches_draft_new_ideas(keep: int, versions: int, drafts: int) -> None:
    _, iterations = await searched(keep, versions)
    assert [one.operator for one in iterations[-1]].count("draft") == drafts


async def test_a_version_is_a_child_with_its_own_id_and_begins_with_the_best_code_of_its_line() -> None:
    at, iterations = await searched()
    for planned in iterations[1:]:
        for one in planned:
            if one.operator == "improve" and one.idea:
                assert one.instruction == INSTRUCTION
                assert (one.idea.kind, one.idea.source) == ("push_score", "refined")
                assert one.idea.iteration == one.iteration - 1
                past = [was for was in at.counted if was.iteration < one.iteration and was.score is not None]
                own = [was for was in past if was.idea_id and line(at, was.idea_id) == line(at, one.idea.id)]
                best = max(own, key=lambda was: was.score or 0.0)
                assert one.parents == (best.branch,)
                assert one.idea.parent_id == best.idea_id
                assert one.idea.title == "refine: " + at.ideas[line(at, one.idea.id)].title


async def test_the_beam_never_holds_one_idea_twice_and_no_discarded_attempt() -> None:
    for seed in range(10):
        at, _ = await searched(seed=seed)
        kept = beam(at, 5)
        assert len({line(at, str(one.idea_id)) for one in kept}) == len(kept)
        assert all(one.eligible for one in kept)
        assert [one.score for one in kept] == sorted(
            (one.score for one in kept), reverse=True, key=lambda was: was or 0
        )


async def test_a_search_uses_every_branch_and_no_idea_twice() -> None:
    at, iterations = await searched()
    made = [one for planned in iterations for one in planned]
    assert sizes(made) == [5] * 5
    assert len(set(names(made))) == 25
    assert set(names(made)) == set(at.ideas)


async def test_a_line_whose_versions_found_nothing_to_measure_makes_room_for_the_next_best() -> None:
    at, iterations = await searched()
    planned = iterations[-1]
    first, again, second, _ = lines(at, planned)
    own = {one.branch: number for number, one in enumerate(at.attempts)}
    for number, one in enumerate(planned[:2]):
        left = at.attempts[own[one.branch]]
        assert not spent(at, again)
        nothing = {"executions": 0, "score": None, "success": False}
        at.attempts[own[one.branch]] = left.model_copy(update=nothing)
        assert spent(at, first) == (number == 1), "one version that finds something is enough"
    kept = [line(at, str(one.idea_id)) for one in beam(at, 25)]
    assert first not in kept
    assert second in kept


async def test_a_version_that_an_error_ended_says_nothing_of_its_line() -> None:
    at, iterations = await searched()
    own = {one.branch: number for number, one in enumerate(at.attempts)}
    first = lines(at, iterations[-1])[0]
    for one in iterations[-1][:2]:
        gone = {"executions": 0, "status": "error", "error_kind": "engine", "score": None, "success": False}
        at.attempts[own[one.branch]] = at.attempts[own[one.branch]].model_copy(update=gone)
    assert not spent(at, first)
    assert first in {line(at, str(one.idea_id)) for one in beam(at, 25)}
