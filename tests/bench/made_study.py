"""The units of a whole study, as its runs have them in their tables: six scripted models, three games, four conditions.

Every experiment of a study is a run of its own, and a game that several of them need stands in the tables of each.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from pipelines.analysis.order import CONDITIONS

MODELS = ("novice", "adept", "master", "delver", "steady", "rover")
JUDGES = ("lenient", "fair", "patron")
ANNOTATORS = ("reader", "skimmer")
ANSWERERS = ("doubter", "hasty")
SELECTORS = ("novice", "adept", "master", "steady")
PICKS = (*(("model", name) for name in SELECTORS), ("random", "adept"), ("best_of", "adept"))
REPLICATES, QUESTIONS, POOLED = 3, 100, 30
CUTS, CONTINUATIONS = (10, 20, 30), 2
SIDES = {0: "best", 1: "worst"}
"""Which replicate is which; ``level`` makes it so."""

Units = pd.DataFrame


def plain(papers: int, rng: np.random.Generator) -> Units:
    """Every plain game; ``level`` is what its scores rise to."""
    names = [f"2606.{10_000 + 37 * number}" for number in range(papers)]
    product = [range(REPLICATES), names, CONDITIONS, MODELS]
    games = pd.MultiIndex.from_product(product, names=["replicate", "paper", "condition", "model"]).to_frame(
        index=False
    )
    paper = games["paper"].map(dict(zip(names, rng.normal(0, 0.7, papers), strict=True)))
    strength = games["model"].map({name: 0.3 * place for place, name in enumerate(MODELS)})
    shown = games["condition"].map({"full": 0.8}).fillna(0.0)
    lot = games["replicate"].map({0: 0.6, 1: -0.6}).fillna(0.0)
    level = 3.0 + strength + shown + paper + lot + rng.normal(0, 0.4, len(games))
    return named(games.assign(kind="game", questions=QUESTIONS, level=level, path=paths(games)))


def forks(games: Units) -> Units:
    """The best and the worst game of each paper and model without a survey, continued from every cut."""
    sources = games.loc[(games["condition"] == "none") & games["replicate"].isin(SIDES)]
    found = sources.assign(source=sources["unit"], side=sources["replicate"].map(SIDES), kind="fork")
    cut = pd.DataFrame({"cut": CUTS}).merge(pd.DataFrame({"continuation": range(CONTINUATIONS)}), how="cross")
    found = found.merge(cut, how="cross")
    more = "/k" + found["cut"].astype("str") + "/c" + found["continuation"].astype("str")
    return named(found.assign(path=found["path"] + more))


def pooled(games: Units) -> Units:
    """The pooled games of every paper: each selector's, the random pick's, best of n."""
    first = games.loc[(games["condition"] == "none") & (games["model"] == MODELS[0])]
    found = first.drop(columns="model").merge(pd.DataFrame(PICKS, columns=["selection", "model"]), how="cross")
    path = paths(found) + "/" + found["selection"]
    return named(found.assign(kind="pool", questions=POOLED, path=path))


def probes(games: Units) -> Units:
    """One for each paper and model."""
    first = games.loc[(games["condition"] == "none") & (games["replicate"] == 0)]
    return named(first.assign(kind="probe", questions=None))


def readings(kind: str, readers: Sequence[str], played: Units) -> Units:
    """One for each reader of each played unit."""
    found = played.assign(kind=kind).merge(pd.DataFrame({"reader": readers}), how="cross")
    return named(found.assign(path=found["path"] + "/" + found["reader"]), found["game"])


def paths(units: Units) -> pd.Series:
    """What stands between an id's kind and its digest."""
    return units["paper"] + "/" + units["model"] + "/" + units["condition"] + "/r" + units["replicate"].astype("str")


def named(units: Units, game: pd.Series | None = None) -> Units:
    """With ``unit``, and ``game``: its own where it is played."""
    said = units["kind"] + "/" + units["path"]
    digests = [f"{number:016x}" for number in pd.util.hash_pandas_object(said, index=False)]
    unit = said + "/" + pd.Series(digests, index=units.index)
    return units.assign(unit=unit, game=unit if game is None else game)


def judged(played: Units) -> Units:
    """With the panel's judgings."""
    return pd.concat([played, readings("judging", JUDGES, played)])


def study(papers: int, seed: int = 0) -> dict[str, Units]:
    """The units of each run, by experiment, a game followed by its readings."""
    games = plain(papers, np.random.default_rng(seed))
    none = games.loc[games["condition"] == "none"]
    first, shown = none.loc[none["replicate"] == 0], games.loc[games["condition"] != "none"]
    asked = probes(games)
    found = {
        "game": judged(none),
        "survey": judged(games),
        "prefix_fork": judged(pd.concat([none, forks(games)])),
        "probe": pd.concat([asked, readings("recognition", ANNOTATORS, asked)]),
        "question_pool": judged(pd.concat([none, pooled(games)])),
        "answerer": pd.concat([first, readings("answers", ANSWERERS, first)]),
        "mentions": pd.concat(
            [judged(games), readings("mentions", ANNOTATORS, games), readings("lines", ANNOTATORS, shown)]
        ),
        "tree": pd.concat([judged(first), readings("tree", ANNOTATORS[:1], first)]),
    }
    return {name: in_order(units) for name, units in found.items()}


def in_order(units: Units) -> Units:
    """Each played unit and then its readings."""
    place = pd.Series(pd.factorize(units["game"])[0], index=units.index)
    ordered = units.assign(place=place).sort_values("place", kind="stable").reset_index(drop=True)
    return ordered.assign(**{name: None for name in ("cut", "reader") if name not in ordered})
