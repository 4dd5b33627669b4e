"""Costs are summed where they are known, and counted where they are not."""

import pytest
from made_tables import Made

from pipelines.analysis.cost import cost, total_cost

KEYS: dict[str, object] = {"paper": "p", "model": "m", "condition": "none", "replicate": 0}


def test_sums_and_what_is_not_known() -> None:
    made = Made()
    made.call("u", KEYS, "question", 1, prompt=100, cached=50, cost=0.25)
    made.call("u", KEYS, "question", 2, prompt=100, cached=None, cost=None)
    made.call("u", KEYS, "answer", 1, prompt=None, cached=None, cost=None)
    found = cost(made.frame("calls")).set_index("seat")
    expected = {"calls": 2, "prompt_tokens": 200, "cost": 0.25, "unpriced": 1, "cached_share": 0.5}
    assert found.loc["question", list(expected)].to_dict() == expected
    assert found.loc["answer", ["prompt_tokens", "cost", "cached_share"]].isna().all()
    total = total_cost(found)
    assert (total["calls"], total["cost"], total["unpriced"], total["uncounted"]) == (3, 0.25, 2, 1)
    assert total["cached_share"] == pytest.approx(0.5)


def test_no_price_at_all_is_null_and_not_zero() -> None:
    made = Made()
    made.call("u", KEYS, "question", 1, prompt=100, cached=0, cost=None)
    total = total_cost(cost(made.frame("calls")))
    assert total["cost"] != total["cost"]
    assert total["cached_share"] == 0.0


def test_no_calls() -> None:
    total = total_cost(cost(Made().frame("calls")))
    assert total["calls"] == 0
    assert total[["cost", "prompt_tokens", "cached_share"]].isna().all()
