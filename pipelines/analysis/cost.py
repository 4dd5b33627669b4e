"""What the calls cost, by who was asked and for what."""

from collections.abc import Sequence

import pandas as pd

NUMBERS = ("prompt_tokens", "completion_tokens", "cached_tokens", "cost")
COUNTS = ("calls", "tries", "lost", "errors", "unpriced", "uncounted")


def cost(calls: pd.DataFrame) -> pd.DataFrame:
    """One row per caller and seat; unknown tokens and prices are NULL and counted, never taken for 0.

    ``cost`` (USD) and the tokens are sums over the calls that tell, NULL if none does; ``unpriced`` and ``uncounted``
    are the calls that do not. ``cached_share`` is cached over prompt tokens where both are told.
    """
    return with_share(tally(calls))


def tally(calls: pd.DataFrame) -> pd.DataFrame:
    """`cost` without the share: what can be summed, so that many calls need not be held at once (`joined`)."""
    told = calls.dropna(subset=["prompt_tokens", "cached_tokens"])
    keys = ["caller", "seat"]
    grouped = calls.groupby(keys, observed=True)
    found = grouped.size().to_frame("calls").join(grouped[list(NUMBERS)].sum(min_count=1))
    found = found.join(grouped[["tries", "lost"]].sum()).join(grouped["error_kind"].count().rename("errors"))
    known = grouped[["cost", "prompt_tokens"]].count()
    found = found.assign(unpriced=found["calls"] - known["cost"], uncounted=found["calls"] - known["prompt_tokens"])
    of = told.groupby(keys, observed=True)["prompt_tokens"].sum().rename("cached_of")
    return found.join(of).reset_index().astype({"caller": "str", "seat": "str"})


def joined(tallies: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """The tally of all calls from those of parts of them."""
    parts = [part for part in tallies if len(part)] or tallies[:1]
    grouped = pd.concat(parts, ignore_index=True).groupby(["caller", "seat"])
    told = grouped[[*NUMBERS, "cached_of"]].sum(min_count=1)
    return grouped[list(COUNTS)].sum().join(told).reset_index()[list(parts[0].columns)]


def with_share(tallied: pd.DataFrame) -> pd.DataFrame:
    """A tally with ``cached_share``."""
    return tallied.assign(cached_share=tallied["cached_tokens"] / tallied["cached_of"].where(tallied["cached_of"] > 0))


def total_cost(costs: pd.DataFrame) -> pd.Series:
    """The sums of `cost` over all callers and seats, with the same rules."""
    summed = costs[["calls", "tries", "lost", "errors", "unpriced", "uncounted"]].sum().astype("float64")
    told = costs[[*NUMBERS, "cached_of"]].sum(min_count=1).astype("float64")
    total = pd.concat([summed, told])
    total["cached_share"] = total["cached_tokens"] / total["cached_of"] if total["cached_of"] > 0 else float("nan")
    return total
