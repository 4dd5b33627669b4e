"""Whether the statistics recover what is true, over thousands of studies drawn by the twin of the scripted world.

    python tests/bench/recovery.py [--studies 2000] [--papers 12] [--truth 600] [--boots 300] [--whole 3]
        [--large 100]

A study has its own papers, drawn from a population of surveys, truths and knowledge; on each paper all kinds of games
of 30 questions. What is true is an effect's mean over the papers of --truth further studies (its own error is a small
part of a study's), or exact: answerers' rates, the first card's control. in: how many studies' 95% t-intervals cover
it; region: what a binomial keeps to but for one time in a thousand. boot: the same share by the percentile bootstrap
over papers, 10,000 draws, in the first --boots studies: no region, since at so few papers it is known to fall short.
Student's interval is exact for normal values alone, so the same is shown for studies of --large papers, as real ones
are: drawn with replacement from the papers of the --truth studies, whose mean is what is true, exactly.
In the null world nothing that is compared differs: each raw test is to reject at 5%, in the region. Holm: studies in
which it lets any test of the family reject. First, the analyses' own functions must give the same numbers in --whole
studies. The seed is fixed: the same command prints the same.
Takes some twelve minutes on an idle core.
"""

import argparse
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
from measure import show

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from twin import recovery
from twin.study import Cast, effects_cast, null_cast
from twin.whole import compared

FAMILIES = ("full less decoy", "decoy less none", "first card, full less decoy", "pool less solo", "selectors")
TESTED = (*FAMILIES, "fork, gap at end", "naming the core")
CONSTANT = ("branches, delver", "answerer, flips, doubter")
"""No paper differs from another: nothing to put an interval around."""


def truths(cast: Cast, told: recovery.Sample) -> tuple[dict[str, float], dict[str, float]]:
    """What is true by effect, and the standard error of what was not known exactly."""
    groups = told.values.groupby("effect")["value"]
    true = {str(effect): float(value) for effect, value in groups.mean().items()}
    error = {str(effect): float(value) for effect, value in groups.sem().items()}
    exact = {effect: 0.0 for effect in true if effect.startswith("first card")}
    for name, each in cast.again.items():
        exact |= {f"answerer, unknown, {name}": each.unknown}
        exact |= {f"answerer, flips, {name}": (1 - each.unknown) * each.flip}
    return true | exact, error | dict.fromkeys(exact, 0.0)


def recovered(chosen: argparse.Namespace) -> None:
    """The world with effects: coverage."""
    cast = effects_cast()
    true, error = truths(cast, told := recovery.sample(cast, chosen.truth, chosen.papers, np.random.default_rng(1)))
    true |= recovery.breadth_truth(told.breadth)
    drawn = recovery.sample(cast, chosen.studies, chosen.papers, np.random.default_rng(2))
    values = drawn.values.loc[~drawn.values["effect"].isin(CONSTANT)]
    larger = told.values.loc[~told.values["effect"].isin(CONSTANT)]
    found = [
        recovery.covered(recovery.by_study(values), true, chosen.boots),
        recovery.breadth_covered(drawn.breadth, true, chosen.boots),
        recovery.shares_covered(drawn.answers, true, chosen.boots),
    ]
    table = pd.concat(found, ignore_index=True)
    shown(f"{chosen.studies} studies of {chosen.papers} papers", table, error)
    redrawn = recovery.redrawn(larger, chosen.studies, chosen.large, np.random.default_rng(4))
    means = larger.groupby("effect")["value"].mean().to_dict()
    shown(f"{chosen.studies} studies of {chosen.large} papers, redrawn", recovery.covered(redrawn, means, 0), {})


def shown(title: str, table: pd.DataFrame, error: dict[str, float]) -> None:
    """What `recovery.covered` found."""
    show(
        f"{title}: how often the 95% intervals cover what is true",
        ["effect", "true", "± (s.e.)", "mean", "papers", "studies", "in", "share", "region", "", "boot"],
        [
            [
                row.effect,
                f"{row.truth:.3f}",
                f"{error.get(row.effect, 0):.3f}",
                f"{row.mean:.3f}",
                f"{row.papers:.1f}",
                *counted(row.n, row.hits, row.least, row.most),
                f"{row.boot_hits / row.boot_n:.3f}" if row.boot_n else "",
            ]
            for row in table.itertuples()
        ],
    )


def counted(n: int, hits: int, least: int, most: int) -> list[str]:
    """Studies, how many, their share, the region, and a mark where they are outside."""
    if not n:
        return [""] * 5
    mark = "" if least <= hits <= most else "below" if hits < least else "above"
    return [str(n), str(hits), f"{hits / n:.4f}", f"{least}-{most}", mark]


def null(chosen: argparse.Namespace) -> None:
    """The null world: raw tests, and Holm's families."""
    cast = null_cast()
    drawn = recovery.sample(cast, chosen.studies, chosen.papers, np.random.default_rng(3))
    studies = recovery.by_study(drawn.values)
    tested = {effect: samples for effect, samples in studies.items() if effect.startswith(TESTED)}
    p = recovery.p_values(tested, "t")
    table = pd.concat([recovery.rejected(p, "t"), recovery.rejected(recovery.p_values(tested, "flip"), "flip")])
    rows = [
        [row.effect, row.test, *counted(row.n, row.rejected, row.least, row.most)]
        for row in table.sort_values(["effect", "test"], ascending=[True, False]).itertuples()
    ]
    show("null world: how often a raw test rejects at 5%", ["effect", "test", *COUNTED], rows)
    rows = []
    for name in FAMILIES:
        family = {effect: values for effect, values in p.items() if effect.startswith(name)}
        any_, n = recovery.family_wise(family)
        rows.append([name, str(len(family)), *counted(n, any_, *recovery.region(n, recovery.LEVEL))[:4]])
    show("null world: how often Holm lets any test of a family reject", ["family", "tests", *COUNTED[:4]], rows)


COUNTED = ["studies", "rejects", "share", "region", ""]


def main(chosen: argparse.Namespace) -> None:
    begun = time.monotonic()
    rows = [
        [name, str(chosen.whole), str(effects), f"{furthest:.1e}"]
        for name, cast in (("with effects", effects_cast()), ("null", null_cast()))
        for effects, furthest in [compared(cast, chosen.whole, chosen.papers)]
    ]
    show("the analyses' own functions against what is counted below", ["world", "studies", "effects", "furthest"], rows)
    recovered(chosen)
    null(chosen)
    print(f"took {time.monotonic() - begun:.0f} s")  # noqa: T201


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for setting, default in (("studies", 2000), ("papers", 12), ("truth", 600), ("boots", 300)):
        parser.add_argument(f"--{setting}", type=int, default=default)
    parser.add_argument("--whole", type=int, default=3)
    parser.add_argument("--large", type=int, default=100)
    main(parser.parse_args())
