"""A search whose models speak over HTTP: nonsense, and edits that are good."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
from conftest import Bench
from talkers import Talker

from solvers.containers.engine import Engine

TOY = Path(__file__).parents[1] / "solvers" / "toys" / "twice"
NONSENSE = "I would rather talk about the weather, which is {not} JSON."
OPERATORS = {"ideate", "organize", "estimate_clusters", "dispatch_clusters", "plan"}
GOOD = """CHANGE: one pass
FILE: twice.c
<<<<<<< WHOLE
#include "twice.h"

void twice(uint64_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        numbers[i] <<= 1;
}
>>>>>>> END
"""


SAME = "the changes leave the files as they are"


def overrides(url: str, *more: str) -> tuple[str, ...]:
    model = ("models.endpoint.model=openai/talker", f"models.endpoint.api_base={url}", "cast=endpoint")
    task = (f"task={TOY}", "task.profile=tiny", "experiment=idea_search", "solver=llm")
    return (*task, *model, "budget.executions=8", "branches=2", "iterations=2", *more)


def codes(body: dict[str, Any]) -> bool:
    """Whether it is the solver that asks: only it wants no JSON."""
    return "response_format" not in body


def played(bench: Bench, *words: str) -> dict[str, pd.DataFrame]:
    names = (
        "units",
        "attempts",
        "calls",
        "clusters",
        "plans",
        "ranks",
        "assignments",
        "searches",
        "executions",
        "audits",
    )
    return {name: bench.table(name, *words) for name in names}


def test_nonsense_from_every_operator_ends_in_fallbacks_each_marked(bench: Bench, engine: Engine) -> None:
    with Talker(lambda _: NONSENSE) as server:
        words = overrides(server.url)
        assert bench.run(*words) == 0
    found = played(bench, *words)
    assert set(found["units"].status) == {"ok"}
    assert found["clusters"].fallback.all()
    assert found["ranks"][found["ranks"].of > 1].fallback.all()
    assert found["assignments"].fallback.all()
    asked = found["calls"]
    assert set(asked.error_kind) == {"invalid"}
    assert set(asked[asked.seat.isin(OPERATORS)].groupby(["part", "seat"]).size()) == {2}
    assert set(asked.seat) >= OPERATORS
    assert not found["attempts"].success.any()
    assert set(found["attempts"].error_kind) == {"invalid"}
    assert found["searches"].started.tolist() == [0]
    assert found["searches"].branches_done.tolist() == [4]


def test_good_edits_have_the_score_that_they_deserve(bench: Bench, engine: Engine) -> None:
    with Talker(lambda body: GOOD if codes(body) else NONSENSE) as server:
        words = overrides(server.url)
        assert bench.run(*words) == 0
    found = played(bench, *words)
    right = found["executions"]
    assert set(right.verdict) == {"right"}
    attempts = found["attempts"]
    assert attempts.success[:2].all()
    assert set(attempts.error[~attempts.success]) <= {f"no reply in 3 could be followed: {SAME}"}
    (search,) = found["searches"].to_dict("records")
    assert search["score"] > 0.25, "the code is the reference's in other words, and the reference has one half"
    assert search["held_out_score"] > 0.25
    asked = found["audits"].mechanical != "no_code"
    assert found["audits"].fallback.tolist() == asked.tolist(), "where rules are enough no model is asked"


def edit(code: str) -> str:
    return f"CHANGE: as told\nFILE: twice.c\n<<<<<<< WHOLE\n{code}>>>>>>> END\n"


def asked_for(body: dict[str, Any]) -> str:
    """The shape that a reply is asked for."""
    return str(body.get("response_format", {}).get("json_schema", {}).get("name", ""))


def test_the_code_to_begin_with_in_other_words_is_trivial_and_leads_nowhere(bench: Bench, engine: Engine) -> None:
    begun = (TOY / "environment" / "twice.c").read_text()
    with Talker(lambda body: edit(f"/* faster now */\n{begun}") if codes(body) else NONSENSE) as server:
        words = overrides(server.url)
        assert bench.run(*words) == 0
    found = played(bench, *words)
    measured = found["executions"].branch.unique()
    own = found["attempts"].set_index("branch").loc[measured]
    assert len(own)
    assert set(own.role) == {"discarded"}
    assert set(own.audit_flags) == {"trivial"}
    assert (own.executions > 0).all(), "what it measured stays spent"
    assert bench.table("lessons", *words).empty
    (search,) = found["searches"].to_dict("records")
    assert pd.isna(search["score"]), "nothing of it is the result"
    assert search["started"] == len(found["executions"])


def test_right_code_of_another_idea_keeps_its_score_under_its_own_name(bench: Bench, engine: Engine) -> None:
    seen = {"title": "Shift left", "short_hypothesis": "a shift doubles", "twist": None, "grounded_in": "twice.c"}
    other = {"flags": ["idea_mismatch"], "confidence": 0.9, "reasoning": "it shifts", "reconstructed_idea": None}
    other["reconstructed_idea"] = {**seen, "addresses": "the loop", "mode": "conservative"}
    same = {"flags": [], "confidence": 0.9, "reasoning": "it shifts, as said", "reconstructed_idea": None}

    def say(body: dict[str, Any]) -> str:
        if codes(body):
            return GOOD
        if asked_for(body) == "Opinion":
            return json.dumps(same if "Shift left" in json.dumps(body["messages"]) else other)
        return NONSENSE

    with Talker(say) as server:
        words = (*overrides(server.url), "branches=1", "iterations=1", "budget.executions=2")
        assert bench.run(*words) == 0
    found = played(bench, *words)
    (attempt,) = found["attempts"].to_dict("records")
    ideas = bench.table("ideas", *words).set_index("id")
    assert (attempt["role"], attempt["audit_flags"]) == ("idea_mismatch_relabel", "idea_mismatch")
    assert ideas.loc[attempt["idea_id"]].title == "Shift left"
    assert attempt["assigned_idea_id"] != attempt["idea_id"]
    assert attempt["score"] == found["executions"][found["executions"].seeding == "search"].score.max()
    audits = found["audits"].set_index("phase")
    assert audits["flags"]["before"] == "idea_mismatch"
    assert (audits["flags"]["after"], audits["idea_id"]["after"]) == ("", attempt["idea_id"])
    assert found["searches"].best_idea.tolist() == [attempt["idea_id"]]


def test_an_outage_of_the_coder_fails_the_search_which_goes_on_when_it_is_over(bench: Bench, engine: Engine) -> None:
    down = True

    def say(body: dict[str, Any]) -> str | int:
        return (503 if down else GOOD) if codes(body) else NONSENSE

    with Talker(say) as server:
        words = (*overrides(server.url), "models.endpoint.tries=1")
        assert bench.run(*words) == 1
        assert set(bench.table("units", *words).error_kind) == {"server"}
        first = len([body for body in server.bodies if not codes(body)])
        down = False
        assert bench.run(*words) == 0
        again = [json.dumps(body["messages"]) for body in server.bodies if not codes(body)]
    assert len(set(again[:first])) == len(set(again[:first]) - set(again[first:])), "the manager is not asked again"
    attempts = bench.table("attempts", *words)
    assert attempts.success[:2].all()
    assert len(attempts) == 4
