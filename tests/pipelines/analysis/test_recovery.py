"""What the statistics make of studies whose truth is known; and that the twin that draws them plays as the pipeline.

tests/bench/recovery.py and likeness.py are the same at length.
"""

from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import pytest
from conftest import Bench
from scipy.stats import binom
from twin.cards import ratings
from twin.pipeline import SIX, listed
from twin.pipeline import compared as likened
from twin.play import begin, persona, play
from twin.recovery import (
    COVERAGE,
    LEVEL,
    Sample,
    by_study,
    covered,
    family_wise,
    holds,
    p_values,
    region,
    rejected,
    sample,
)
from twin.study import Cast, cast_of, effects_cast, null_cast
from twin.table import ANSWERS
from twin.whole import compared
from twin.worlds import CONDITIONS, read_worlds

from actors.scripted.tree import branches
from actors.scripted.world import build_worlds
from pipelines.analysis.intervals import t_interval
from pipelines.config import settings
from pipelines.plan import plan

STUDIES, PAPERS = 200, 6
FAR = 3.29  # standard errors: one time in a thousand


def small_cast() -> Cast:
    """Two players, one of whom is forked and pooled."""
    pools = [("model", "adept", ("adept", "master"))]
    whole = replace(effects_cast(), surveyed=("adept",), plain=(), forked="adept", pools=pools, trees=(), own={})
    return replace(whole, personas=cast_of(("adept", "master")))


def small_null() -> Cast:
    """Two players of the null world."""
    pair = ("null-a", "null-b")
    return replace(null_cast(), personas=cast_of(pair), surveyed=pair, pools=[("model", "null-a", pair)])


@pytest.fixture(scope="module")
def drawn() -> Sample:
    return sample(small_cast(), STUDIES, PAPERS, np.random.default_rng(2), batch=50)


@pytest.fixture(scope="module")
def truth() -> dict[str, float]:
    told = sample(small_cast(), STUDIES // 2, PAPERS, np.random.default_rng(1), batch=50)
    means = told.values.groupby("effect")["value"].mean().to_dict()
    exact = {"first card, full less decoy, adept": 0.0, "answerer, unknown, doubter": 0.2}
    return means | exact | {"answerer, unknown, hasty": 0.05, "answerer, flips, hasty": 0.95 * 0.1}


@pytest.mark.parametrize(("n", "p"), [(2000, 0.95), (200, 0.95), (400, 0.05), (60, 0.05)])
def test_the_region_leaves_out_one_in_a_thousand_and_no_more(n: int, p: float) -> None:
    least, most = region(n, p)
    assert binom.cdf(least - 1, n, p) <= 0.0005 < binom.cdf(least, n, p)
    assert binom.sf(most, n, p) <= 0.0005 < binom.sf(most - 1, n, p)


def test_t_intervals_cover_what_is_true(drawn: Sample, truth: dict[str, float]) -> None:
    varied = drawn.values.loc[drawn.values["effect"] != "answerer, flips, doubter"]
    found = covered(by_study(varied), truth, boots=0)
    assert set(found["n"]) == {STUDIES}
    named = ("full less decoy", "gain in questions, 11-30", "fork, gap at end", "pool less solo", "score at T")
    for effect in (*named, "line less neighbours", "answerer, unknown"):
        assert found["effect"].str.startswith(effect).any(), effect
    outside = found.loc[~found["hits"].between(found["least"], found["most"])]
    assert len(outside) == 0, outside.to_string()


def test_effects_that_are_there_are_seen(drawn: Sample, truth: dict[str, float]) -> None:
    means = drawn.values.groupby("effect")["value"].agg(["mean", "sem"])
    for effect in ("full less decoy, adept", "gain in questions, 11-30, adept", "pool less solo, model, adept"):
        assert means.loc[effect, "mean"] > 4 * means.loc[effect, "sem"]
        assert truth[effect] > 0


def test_an_interval_that_is_too_narrow_is_found_out(drawn: Sample, truth: dict[str, float]) -> None:
    least, _ = region(STUDIES, COVERAGE)
    for effect in ("full less decoy, adept", "score at T, adept"):
        hits = 0
        for values in by_study(drawn.values)[effect]:
            low, high = t_interval(values)
            middle, reach = (low + high) / 2, 0.7 * (high - low) / 2
            hits += holds((middle - reach, middle + reach), truth[effect])
        assert hits < least


def test_in_the_null_world_raw_tests_reject_at_their_level() -> None:
    drawn = sample(small_null(), STUDIES, PAPERS, np.random.default_rng(3), batch=50)
    names = ("full less decoy", "decoy less none", "first card", "pool less solo", "fork, gap at end")
    studies = {effect: each for effect, each in by_study(drawn.values).items() if effect.startswith(names)}
    assert len(studies) == 8
    t = p_values(studies, "t")
    found = pd.concat([rejected(t, "t"), rejected(p_values(studies, "flip"), "flip")])
    outside = found.loc[~found["rejected"].between(found["least"], found["most"])]
    assert len(outside) == 0, outside.to_string()
    any_, n = family_wise({effect: p for effect, p in t.items() if effect.startswith("full less decoy")})
    assert any_ <= region(n, LEVEL)[1]


def test_the_analyses_themselves_give_the_numbers_that_are_counted() -> None:
    effects, furthest = compared(small_cast(), 1, PAPERS)
    assert effects == 13
    assert furthest < 1e-12


def test_the_twin_plays_as_the_pipeline_does(bench: Bench) -> None:
    models, conditions, ts, replicates = ("novice", "master", "rover"), ("none", "full"), (0, 10, 20), 4
    told = [
        "cast=scripted",
        f"papers={listed(SIX)}",
        f"inquisitors=[{','.join(models)}]",
        f"condition=[{','.join(conditions)}]",
        "questions=20",
    ]
    told += [f"replicates={replicates}", "judges=[fair]"]
    assert bench.run(*told) == 0
    work = plan(settings(bench.overrides(*told))).corpus
    real = dict(zip(work.papers, build_worlds(work.papers.values(), work.surveys, work.seed), strict=True))
    theirs = pipeline_numbers(bench.table("turns", *told), bench.table("ratings", *told), real)
    worlds = read_worlds(list(real.values()), [work.surveys[paper] for paper in real])
    ours = twin_numbers(worlds, models, conditions, ts, list(real))
    keys = ["effect", "model", "condition", "paper"]
    grouped = ours.groupby(keys)["value"].agg(["mean", "var", "size"]).reset_index()
    rows = theirs.groupby(keys)["value"].agg(value="mean", games="size").reset_index().merge(grouped, on=keys)
    rows = rows.assign(gap=rows["value"] - rows["mean"], error=rows["var"] * (1 / rows["games"] + 1 / rows["size"]))
    found = likened(rows, ["effect", "model", "condition"])
    assert set(rows["games"]) == {replicates}
    assert len(found) == len(models) * len(conditions) * (len(ts) + 4)
    assert found["z"].abs().max() < FAR, found.to_string()


def pipeline_numbers(turns: pd.DataFrame, rated: pd.DataFrame, real: dict[str, object]) -> pd.DataFrame:
    """Scores by t, shares of answers and branches of each game."""
    facts = ["model", "condition", "paper"]
    parts = [rated.assign(effect="score " + rated["t"].astype("str"), value=rated["score"].astype("float64"))]
    games = turns.groupby(["unit", *facts], observed=True)
    for answer in ANSWERS:
        share = (turns["answer"] == str(answer)).groupby([turns[name] for name in ["unit", *facts]], observed=True)
        parts.append(share.mean().rename("value").reset_index().assign(effect=str(answer)))
    rows = [
        (*key[1:], "branches", branches(real[key[3]], list(zip(game["t"], game["question"], strict=True))))
        for key, game in games
    ]
    parts.append(pd.DataFrame(rows, columns=[*facts, "effect", "value"]))
    return pd.concat([part[["effect", *facts, "value"]] for part in parts]).astype({"model": "str", "condition": "str"})


def twin_numbers(worlds, models, conditions, ts, papers) -> pd.DataFrame:  # type: ignore[no-untyped-def]
    """The same of the twin's, 150 games a cell."""
    grid = product(range(len(worlds)), range(len(models)), map(CONDITIONS.index, conditions), range(150))
    paper, who, condition, _ = np.array(list(grid)).T
    rng = np.random.default_rng(4)
    personas = [persona(name) for name in models]
    game = begin(worlds, personas, paper, who, condition)
    play(game, persona("oracle"), max(ts), ts, rng)
    names, conditioned = np.array(models)[who], np.array(CONDITIONS)[condition]
    facts = pd.DataFrame({"model": names, "condition": conditioned, "paper": np.array(papers)[paper]})
    accents = [each.accent for each in personas]
    parts = []
    for t, share in game.covered.items():
        given = ratings(share, accents, who, [persona("fair")], rng)[:, 0]
        parts.append(facts.assign(effect=f"score {t}", value=given.astype(np.float64)))
    said = np.stack(game.table.answers)
    for place, answer in enumerate(ANSWERS, 1):
        parts.append(facts.assign(effect=str(answer), value=(said == place).mean(axis=0)))
    return pd.concat([*parts, facts.assign(effect="branches", value=game.table.branches.astype(np.float64))])
