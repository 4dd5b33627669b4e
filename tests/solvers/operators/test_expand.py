"""Expand: new ideas of the four kinds; what breaks a rule is dropped and counted, and the rest stands."""

import asyncio
from collections.abc import Iterable
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_searches import (
    TECHNIQUES,
    Manager,
    Rule,
    any_search,
    attempt,
    cluster,
    execution,
    idea,
    kept,
    lesson,
    state_of,
)

from actors.channel import Stopped
from actors.chat import strict_schema
from actors.errors import ErrorKind, UnitFault
from solvers.attempt import AttemptRole
from solvers.idea import Idea, Kind, Source
from solvers.operators.expand import Expansion, Proposals, expand, expand_all
from solvers.operators.operator import Consulted, Operator, Payload, R
from solvers.operators.views import normal
from solvers.scripted.expand import RULES
from solvers.state import State


def row(kind: str, title: str = "New", **more: object) -> dict[str, object]:
    return {"kind": kind, "title": title, "short_hypothesis": "h", "abstract": "a", "techniques": ["t2"], **more}


def says(*rows: dict[str, object]) -> dict[str, Rule]:
    return {"expand": lambda payload, seed: Proposals.model_validate({"proposals": rows})}


def careless(seed: int) -> dict[str, Rule]:
    draws = Random(seed)

    def one(payload: Payload) -> dict[str, object]:
        names = [*(known["id"] for known in payload["pool"]), "i999", None, ""]
        kinds = [
            "fix_error",
            "push_score",
            "cross_pollinate",
            "new_idea",
            "inject_fresh",
            "fix_failure",
            "seed",
            "magic",
        ]
        return row(
            draws.choice(kinds),
            draws.choice([*(known["title"] for known in payload["pool"]), "New", "new!", "Another", "Third", " "]),
            techniques=draws.choice([["t1"], ["t1", "t99"], ["t99"], []]),
            sibling_referenced=draws.choice(names),
            lesson_context_idea=draws.choice(names),
        )

    def rule(payload: Payload, _: int) -> Proposals:
        return Proposals.model_validate({"proposals": [one(payload) for _ in range(draws.randint(0, 6))]})

    return {"expand": rule}


def fits(state: State, new: Iterable[Idea], attempts: dict[str, bool]) -> None:
    """All that must hold of new ideas. attempts: whether each idea that a branch tried gave a right result."""
    known = [name for name, _ in state.task.techniques]
    siblings = {one.idea_id for one in state.counted if one.iteration == state.iteration}
    for one in new:
        assert one.iteration == state.iteration
        assert (one.parent_id is None) == (one.kind is Kind.NEW_IDEA) == (one.source is Source.FRESH_INJECT)
        assert one.parent_id is None or one.parent_id in attempts
        if one.kind in (Kind.FIX_ERROR, Kind.PUSH_SCORE):
            assert attempts[one.parent_id or ""] == (one.kind is Kind.PUSH_SCORE)
        referred = [one.sibling_referenced, one.lesson_context_idea]
        assert sum(name is not None for name in referred) == (one.kind is Kind.CROSS_POLLINATE)
        assert one.sibling_referenced in {None, *siblings - {one.parent_id}}
        assert one.lesson_context_idea in {None, *({known.context_idea for known in state.lessons} - {one.parent_id})}
        assert set(one.techniques) <= set(known)
        assert bool(one.techniques) == bool(known)
    titles = [normal(one.title) for one in [*state.ideas.values(), *new]]
    assert len(set(titles)) == len(titles)


@given(st.integers(0, 10**6), st.sampled_from(["careless", "scripted", "silent"]))
@settings(max_examples=100, deadline=None)
async def test_whatever_a_manager_says_the_rules_hold(seed: int, kind: str) -> None:
    state, clusters, _ = any_search(seed)
    state.iteration = len(state.done)
    attempts = [one for one in state.attempts if one.iteration == state.iteration]
    counted = [one for one in attempts if one.role is not AttemptRole.DISCARDED]
    manager = Manager({"careless": careless(seed), "scripted": RULES, "silent": {}}[kind], seed)
    new = await expand_all(manager, state, attempts, clusters, state.evidence)
    fits(state, new, {one.idea_id or "": one.success for one in counted})
    assert [one.id for one in new] == [f"i{len(state.ideas) + at:03d}" for at in range(1, len(new) + 1)]
    rows = [one for one in kept(state, "expansions") if isinstance(one, Expansion)]
    assert [one.branch for one in rows] == [one.branch for one in counted]
    assert sum(one.kept for one in rows) == len(new)
    for one in rows:
        assert one.proposed == one.kept + one.dropped
        assert one.kept <= 3
        assert one.fallback == (kind == "silent") or manager.refused
    if kind == "scripted":
        assert manager.refused == {}
        assert all(one.dropped == 0 or len(rows) > 1 for one in rows)  # two branches may have the same in mind
        assert not counted or new


def tried() -> tuple[State, list[Idea]]:
    """Branch 1 right, branch 2 failed, and a lesson of an earlier idea."""
    ideas = [idea(1), idea(2, techniques=("t2", "t3")), idea(3, techniques=("t4",))]
    state = state_of(*ideas)
    state.attempts = [attempt(1, "i001", 0.5), attempt(2, "i002", None)]
    state.lessons = [lesson("i003"), lesson("i001")]
    return state, ideas


@pytest.mark.parametrize(
    ("branch", "said", "kept_title", "why"),
    [
        (1, row("push_score"), "New", ""),
        (1, row("fix_error"), None, "kind 'fix_error' is none of push_score, cross_pollinate, new_idea"),
        (2, row("fix_error"), "New", ""),
        (2, row("fix_failure"), "New", ""),
        (2, row("push_score"), None, "kind 'push_score' is none of fix_error"),
        (1, row("seed"), None, "kind 'seed' is none of"),
        (1, row("inject_fresh"), "New", ""),
        (1, row("new_idea", "title 3!"), None, "'title 3!' is in the pool already"),
        (1, row("push_score", "TITLE  1"), None, "in the pool already"),
        (1, row("new_idea", " "), None, "has no title"),
        (1, row("new_idea", techniques=["t99"]), None, "names no technique of the list"),
        (1, row("cross_pollinate"), None, "must name one sibling or one lesson's idea, and not both"),
        (1, row("cross_pollinate", sibling_referenced="i002"), "New", ""),
        (1, row("cross_pollinate", sibling_referenced="i002", lesson_context_idea=""), "New", ""),
        (1, row("cross_pollinate", sibling_referenced="i003"), None, "'i003' is no sibling of this iteration"),
        (1, row("cross_pollinate", sibling_referenced="i001"), None, "'i001' is no sibling"),
        (1, row("cross_pollinate", lesson_context_idea="i003"), "New", ""),
        (1, row("cross_pollinate", lesson_context_idea="i001"), None, "or is the idea itself"),
        (1, row("cross_pollinate", lesson_context_idea="i003", sibling_referenced="i002"), None, "and not both"),
    ],
)
async def test_what_may_be_proposed(branch: int, said: dict[str, object], kept_title: str | None, why: str) -> None:
    state, _ = tried()
    manager = Manager(says(said))
    found = await expand(manager, state, state.attempts[branch - 1], [])
    part = f"01.expand.b{branch:02d}"
    if kept_title is None:
        assert why in manager.refused[part]
        assert found.fallback
    else:
        assert manager.refused == {}
        assert [(one.title, one.id) for one in found.ideas] == [(kept_title, "")]
        fits(state, found.ideas, {"i001": True, "i002": False})


async def test_what_breaks_a_rule_is_dropped_and_the_rest_stands() -> None:
    state, _ = tried()
    rows = (
        row("push_score", "A"),
        row("push_score", "B"),
        row("fix_error", "C"),
        row("new_idea", "a"),
        row("new_idea", "D"),
    )
    found = await expand(Manager(says(*rows)), state, state.attempts[0], [])
    assert [(one.kind, one.title, one.parent_id) for one in found.ideas] == [
        (Kind.PUSH_SCORE, "A", "i001"),
        (Kind.NEW_IDEA, "D", None),
    ]
    assert found.dropped == 3
    assert not found.fallback


async def test_unknown_techniques_are_struck_out_and_sources_only_kept_of_a_cross() -> None:
    state, _ = tried()
    said = row("push_score", techniques=["t2", "t99", "t2", "t1"], sibling_referenced="i002")
    (made,) = (await expand(Manager(says(said)), state, state.attempts[0], [])).ideas
    assert made.techniques == ("t2", "t1")
    assert made.sibling_referenced is None


async def test_to_propose_nothing_is_a_reply() -> None:
    state, _ = tried()
    manager = Manager(says())
    assert await expand_all(manager, state, state.attempts, []) == []
    assert kept(state, "expansions") == [
        Expansion(iteration=1, branch=branch, proposed=0, kept=0, dropped=0, fallback=False) for branch in (1, 2)
    ]


async def test_branches_are_numbered_in_order_and_do_not_repeat_each_other() -> None:
    state, _ = tried()
    manager = Manager(says(row("new_idea", "Same"), row("cross_pollinate", "Cross", lesson_context_idea="i003")))
    new = await expand_all(manager, state, state.attempts[::-1], [])
    assert [(one.id, one.title, one.parent_id) for one in new] == [("i004", "Same", None), ("i005", "Cross", "i001")]
    assert kept(state, "expansions") == [
        Expansion(iteration=1, branch=1, proposed=2, kept=2, dropped=0, fallback=False),
        Expansion(iteration=1, branch=2, proposed=2, kept=0, dropped=2, fallback=False),
    ]


async def test_discarded_branches_and_those_without_an_idea_are_not_asked_about() -> None:
    state, _ = tried()
    state.attempts = [attempt(1, "i001", 0.5, role=AttemptRole.DISCARDED), attempt(2, None, 0.5)]
    manager = Manager()
    assert await expand_all(manager, state, state.attempts, []) == []
    assert manager.asked == {}


async def test_what_the_branch_showed_is_shown() -> None:
    state, ideas = tried()
    clusters = [cluster(1, "i001", "i003"), cluster(2, "i002")]
    manager = Manager()
    runs = [execution(2, 1, None, "case 7 is wrong")]
    new = await expand_all(manager, state, state.attempts, clusters, {2: runs})
    prompt = manager.prompts["01.expand.b02"]
    assert "1. try 1: wrong; case 7 is wrong" in prompt
    assert "i001: Title 1: score 50.0. Hypothesis 1" in prompt
    assert "Label 2 (the branch's own)" in prompt
    assert "push_score" not in prompt
    assert [(one.title, one.kind, one.techniques) for one in new] == [
        ("Title 1 (after branch 1)", Kind.PUSH_SCORE, ideas[0].techniques),
        ("Title 2 (after branch 2)", Kind.FIX_ERROR, ideas[1].techniques),
    ]


async def test_the_scripted_manager_adds_unites_drops_and_takes_anew() -> None:
    state, _ = tried()
    new = await expand_all(Manager(RULES), state, state.attempts, [])
    made = {(one.parent_id, one.kind): set(one.techniques) for one in new}
    assert made["i002", Kind.FIX_ERROR] == {"t2"}
    assert made["i001", Kind.PUSH_SCORE] > {"t1"}
    assert made["i001", Kind.CROSS_POLLINATE] == {
        "t1",
        "t4",
    }  # branch 2 failed: what there is to unite with is a lesson's
    assert made["i002", Kind.CROSS_POLLINATE] == {"t1", "t2", "t3"}
    assert made[None, Kind.NEW_IDEA] <= {name for name, _ in TECHNIQUES}
    assert made[None, Kind.NEW_IDEA] not in [set(one.techniques) for one in state.ideas.values()]


async def test_by_rule_a_branch_grows_by_what_paid_elsewhere_and_drops_what_did_harm() -> None:
    """t1, t2 alone 30 each; with t3 50 and 60, with t4 5: t3 comes in, t4 goes, and three at once at first."""
    sets = (("t1",), ("t2",), ("t1", "t3"), ("t2", "t3"), ("t1", "t4"), ("t2", "t4"))
    state = state_of(*(idea(number, techniques=names) for number, names in enumerate(sets, 1)))
    scores = (0.3, 0.3, 0.5, 0.6, 0.05, 0.05)
    state.attempts = [attempt(branch, f"i{branch:03d}", score) for branch, score in enumerate(scores, 1)]
    new = await expand_all(Manager(RULES), state, state.attempts, [])
    pushed = {one.parent_id: set(one.techniques) for one in new if one.kind is Kind.PUSH_SCORE}
    assert pushed["i001"] > {"t1", "t3"}
    assert len(pushed["i001"]) == 4
    assert pushed["i005"] > {"t1", "t3"}
    assert all("t4" not in names for names in pushed.values())
    state.iteration = 3
    state.attempts = [one.model_copy(update={"iteration": 3}) for one in state.attempts]
    later = await expand_all(Manager(RULES), state, state.attempts, [])
    assert {len(one.techniques) for one in later if one.kind is Kind.PUSH_SCORE and one.parent_id == "i003"} == {3}


async def test_by_rule_nothing_is_combined_that_cannot_be_and_what_is_needed_comes_along() -> None:
    state = state_of(idea(1, techniques=("t1", "t2")), idea(2, techniques=("t3",)))
    own = {"needs": {"t4": ("t5",), "t3": ("t6",)}, "excludes": {"t1": ("t3", "t5"), "t3": ("t1",), "t5": ("t1",)}}
    state.task = state.task.model_copy(update=own)
    state.attempts = [attempt(1, "i001", 0.5), attempt(2, "i002", 0.4)]
    manager = Manager(RULES)
    new = await expand_all(manager, state, state.attempts, [])
    assert new
    for names in (set(one.techniques) for one in new):
        assert "t1" not in names or not names & {"t3", "t5"}
        assert "t4" not in names or "t5" in names
        assert "t3" not in names or "t6" in names
    prompt = manager.prompts["01.expand.b01"]
    assert "- t4: technique 4; needs t5\n" in prompt
    assert "- t1: technique 1; not with t3, t5\n" in prompt
    assert "t1 + t2" not in prompt, "what techniques scored is for the rules alone"


@pytest.mark.parametrize("why", [UnitFault("unreachable", ErrorKind.SERVER), Stopped("the cap is spent")])
async def test_where_a_branch_cannot_ask_the_others_end_first_and_a_stop_goes_before_a_fault(why: Exception) -> None:
    state, _ = tried()
    state.attempts.append(attempt(3, "i003", 0.1))
    ended = []

    async def consult(operator: Operator[R], payload: Payload, part: str) -> Consulted[R]:
        if part.endswith("b01"):
            raise UnitFault("unreachable", ErrorKind.SERVER)
        await asyncio.sleep(0)
        ended.append(part)
        if part.endswith("b02"):
            raise why
        return Consulted(operator.fallback(payload), fallback=True)

    with pytest.raises(type(why)):
        await expand_all(consult, state, state.attempts, [])
    assert ended == ["01.expand.b02", "01.expand.b03"]
    assert kept(state, "expansions") == []


def test_endpoints_are_told_the_four_kinds_and_that_every_key_is_there() -> None:
    schema = strict_schema(Proposals, None)["properties"]["proposals"]["items"]
    assert schema["properties"]["kind"]["enum"] == ["fix_error", "push_score", "cross_pollinate", "new_idea"]
    assert schema["required"] == list(schema["properties"])
