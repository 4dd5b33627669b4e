"""What the calls cost, by who was asked and for what."""

import pandas as pd

NUMBERS = ("prompt_tokens", "completion_tokens", "cached_tokens", "cost")


def cost(calls: pd.DataFrame) -> pd.DataFrame:
    """One row per caller and seat; unknown tokens and prices are NULL and counted, never taken for 0.

    ``cost`` (USD) and the tokens are sums over the calls that tell, NULL if none does; ``unpriced`` and ``uncounted``
    are the calls that do not. ``cached_share`` is cached over prompt tokens where both are told.
    """
    told = calls.dropna(subset=["prompt_tokens", "cached_tokens"])
    keys = ["caller", "seat"]
    grouped = calls.groupby(keys, observed=True)
    found = grouped.size().to_frame("calls").join(grouped[list(NUMBERS)].sum(min_count=1))
    found = found.join(grouped[["tries", "lost"]].sum()).join(grouped["error_kind"].count().rename("errors"))
    known = grouped[["cost", "prompt_tokens"]].count()
    found = found.assign(unpriced=found["calls"] - known["cost"], uncounted=found["calls"] - known["prompt_tokens"])
    of = told.groupby(keys, observed=True)["prompt_tokens"].sum().rename("cached_of")
    joined = found.join(of).reset_index().astype({"caller": "str", "seat": "str"})
    return joined.assign(cached_share=joined["cached_tokens"] / joined["cached_of"].where(joined["cached_of"] > 0))


def total_cost(costs: pd.DataFrame) -> pd.Series:
    """The sums of `cost` over all callers and seats, with the same rules."""
    summed = costs[["calls", "tries", "lost", "errors", "unpriced", "uncounted"]].sum().astype("float64")
    told = costs[[*NUMBERS, "cached_of"]].sum(min_count=1).astype("float64")
    total = pd.concat([summed, told])
    total["cached_share"] = total["cached_tokens"] / total["cached_of"] if total["cached_of"] > 0 else float("nan")
    return total
