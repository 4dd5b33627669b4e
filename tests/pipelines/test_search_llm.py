"""A search whose models speak over HTTP: nonsense, and edits that are good."""

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
