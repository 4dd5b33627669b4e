"""What a branch is told beside its assignment: what was measured, its share of it, and code that its idea refers to."""

from typing import Any

import pytest
from made_searches import attempt, execution, idea, state_of

from solvers.agents.solver import Known
from solvers.assignment import Assignment
from solvers.attempt import AttemptRole
from solvers.branches.hints import exhibits, hint_of, measured, share
from solvers.idea import Idea, Kind
from solvers.measuring.score import End
from solvers.state import State
from solvers.workspace.solution import Solution

BASELINE, FAST, WRONG = (Solution(files={"a.c": text}) for text in (b"slow\n", b"fast\n", b"wrong\n"))
SOLUTIONS = {one.hash: one for one in (BASELINE, FAST, WRONG)}


def searched() -> State:
    """Branch 1 is right by idea 1, branch 2 failed with idea 2; both count."""
    state = state_of(idea(1), idea(2, title="Lanes"))
    right = execution(1, 1, 0.5).model_copy(update={"solution": FAST.hash, "metric": 2.0})
    failed = execution(2, 1, None, "case 3").model_copy(update={"solution": WRONG.hash, "log": "got 5\nnot 4"})
    state.evidence = {1: [right], 2: [failed]}
    state.attempts = [attempt(1, "i001", 0.5, solution=FAST.hash), attempt(2, "i002", None)]
    return state


def child(kind: Kind, **more: Any) -> Idea:
    return idea(3, "i002").model_copy(update={"kind": kind, **more})


def given(branch: int, one: Idea | None, **more: Any) -> Assignment:
    return Assignment(branch=branch, iteration=2, operator="improve", idea=one, **more)


def test_what_was_measured_is_known_once_as_it_came_out_first() -> None:
    state = searched()
    again = state.evidence[1][0].model_copy(update={"branch": 3, "score": 0.9})
    lost = again.model_copy(update={"solution": "x", "verdict": End.LOST, "correct": False})
    state.evidence[3] = [again, lost, again.model_copy(update={"solution": None})]
    assert measured(state, {FAST.hash: "{}"}) == {
        FAST.hash: Known(correct=True, score=0.5, metric=2.0, choice="{}"),
        WRONG.hash: Known(correct=False, score=None, metric=None),
    }


def test_what_the_audit_discarded_is_known_but_not_as_right() -> None:
    state = searched()
    state.attempts[0] = state.attempts[0].model_copy(update={"role": AttemptRole.DISCARDED})
    assert not measured(state, {})[FAST.hash].correct


def test_branches_with_the_same_work_share_it_and_others_have_their_own() -> None:
    twins = [idea(number, "i001", title="refine: it") for number in (3, 4)]
    twins[1] = twins[1].model_copy(update={name: getattr(twins[0], name) for name in ("short_hypothesis", "abstract")})
    beside = [given(3, twins[0]), given(4, twins[1]), given(5, idea(5)), given(6, twins[0], parents=(1,))]
    assert [share(one, beside) for one in beside] == [(0, 2), (1, 2), (0, 1), (0, 1)]
    told = [given(branch, None, instruction="Make it fast.") for branch in (1, 2, 3)]
    assert [share(one, told) for one in told] == [(0, 3), (1, 3), (2, 3)]


def test_a_cross_pollination_is_shown_the_right_code_that_it_takes_from() -> None:
    crossed = child(Kind.CROSS_POLLINATE, sibling_referenced="i001")
    (shown,) = exhibits(searched(), crossed, None, SOLUTIONS, BASELINE)
    assert (shown.idea, shown.code, shown.baseline, shown.score, shown.error) == ("Title 1", FAST, BASELINE, 0.5, "")


def test_code_that_the_branch_begins_with_or_that_never_was_right_is_not_shown_again() -> None:
    state, crossed = searched(), child(Kind.CROSS_POLLINATE, sibling_referenced="i001")
    assert exhibits(state, crossed, state.attempts[0], SOLUTIONS, BASELINE) == ()
    failed = crossed.model_copy(update={"sibling_referenced": "i002"})
    assert exhibits(state, failed, None, SOLUTIONS, BASELINE) == ()


def test_a_repair_is_shown_what_failed_and_how() -> None:
    (shown,) = exhibits(searched(), child(Kind.FIX_ERROR), None, SOLUTIONS, BASELINE)
    assert (shown.idea, shown.code, shown.score) == ("Lanes", WRONG, None)
    assert shown.error == "wrong: case 3\ngot 5\nnot 4"


def test_a_repair_of_a_branch_that_measured_nothing_is_told_what_ended_it() -> None:
    state = searched()
    state.evidence[2] = []
    state.attempts[1] = attempt(2, "i002", None, error="no reply could be followed")
    (shown,) = exhibits(state, child(Kind.FIX_ERROR), None, SOLUTIONS, BASELINE)
    assert (shown.code, shown.error) == (None, "no reply could be followed")


@pytest.mark.parametrize("kind", [Kind.PUSH_SCORE, Kind.SEED, Kind.NEW_IDEA])
def test_other_ideas_are_shown_no_code(kind: Kind) -> None:
    assert exhibits(searched(), child(kind), None, SOLUTIONS, BASELINE) == ()


def test_a_hint_tells_of_the_code_that_the_branch_begins_with() -> None:
    state, one = searched(), given(3, child(Kind.PUSH_SCORE))
    hint = hint_of(state, one, [one], state.attempts[0], SOLUTIONS, {FAST.hash: "{}"}, BASELINE)
    assert (hint.parent_score, hint.parent_choice, hint.share) == (0.5, "{}", (0, 1))
    assert set(hint.measured) == {FAST.hash, WRONG.hash}
    assert hint_of(state, one, [one], None, SOLUTIONS, {FAST.hash: "{}"}, BASELINE).parent_choice == ""
