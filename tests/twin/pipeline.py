"""The twin set against games that the pipeline played: the same cast on the same papers, effect by effect.

The pipeline's tables go through the same functions as the twin's. Of every effect its value on each paper is compared
with the mean of many runs of the twin on that paper's world; how far a run's value may lie from it, these runs say.
"""

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
from twin.effects import paper_values
from twin.reading import Readings
from twin.study import CONTINUATIONS, CUT, REPLICATES, T_POOL, Cast, T, Tables, play_worlds
from twin.worlds import CONDITIONS, Worlds, read_worlds

from actors.scripted.world import build_worlds
from pipelines.analysis.scores import cards_to_score, grades, panel_of, panel_scores
from pipelines.config import settings
from pipelines.plan import plan

SIX = (
    *("batch-normalization", "delayed-rewards-under-noise", "denoising-diffusion", "endless-stream-learning"),
    *("joint-evidence-selection", "scaled-dot-attention-transformer"),
)
"""Papers whose surveys are of the shape that the twin's worlds have: at most five techniques a line, decoy and all."""

Run = Callable[[Sequence[str]], object]
Table = Callable[[str, Sequence[str]], pd.DataFrame]


def commands(cast: Cast, more: Sequence[str]) -> dict[str, list[str]]:
    """By experiment, what `heuresis run` is told to play what the twin plays, for a cast of shipped models."""
    dials = [f"models.{name}.persona.peak={cast.personas[name].peak}" for name in cast.trees]
    common = [
        "cast=scripted",
        f"papers={listed(SIX)}",
        f"questions={T}",
        f"replicates={REPLICATES}",
        f"judges={listed(cast.judges)}",
        *more,
    ]
    selectors = [selector for selection, selector, _ in cast.pools if selection == "model"]
    writers = {selection: selector for selection, selector, _ in cast.pools}
    pool = [f"pool.proposers={listed(cast.pools[0][2])}", f"pool.selectors={listed(selectors)}"]
    pool += [f"pool.random={writers['random']}", f"pool.best_of={writers['best_of']}", f"pool.questions={T_POOL}"]
    read = "read_replicates=1"
    told = {
        "mentions": [f"inquisitors={listed(cast.surveyed)}", f"condition={listed(CONDITIONS)}", read],
        "prefix_fork": [f"inquisitors=[{cast.forked}]", f"fork.at=[{CUT}]", f"fork.continuations={CONTINUATIONS}"],
        "tree": [f"inquisitors={listed(cast.trees)}", *dials, read],
        "question_pool": [f"inquisitors={listed(cast.surveyed)}", *pool],
        "answerer": [f"inquisitors={listed(cast.surveyed[:2])}", f"answerers={listed(cast.again)}", read],
    }
    return {name: [f"experiment={name}", *common, *own] for name, own in told.items()}


def listed(names: Sequence[str] | object) -> str:
    """Names as a list on the command line."""
    return f"[{','.join(map(str, names))}]"  # type: ignore[call-overload]


def played(told: dict[str, list[str]], run: Run, table: Table) -> tuple[Tables, Worlds]:
    """Play it all; its tables, with the papers numbered as the twin's worlds are."""
    for command in told.values():
        assert run(command) == 0, command
    work = plan(settings(told["mentions"])).corpus
    real = build_worlds(work.papers.values(), work.surveys, work.seed)
    number = {paper: place for place, paper in enumerate(work.papers)}

    def whole(name: str, experiments: Sequence[str], *key: str) -> pd.DataFrame:
        rows = pd.concat([table(name, told[each]) for each in experiments], ignore_index=True)
        return rows.drop_duplicates(list(key)).assign(paper=lambda found: found["paper"].map(number))

    every = list(told)
    units, cards = whole("units", every, "unit"), whole("cards", every, "unit", "t")
    ratings = whole("ratings", every, "game", "t", "judge")
    wanted = cards_to_score(units, cards, ratings)
    graded = grades(wanted, ratings, panel_of(units, ratings))
    turns = whole("turns", every, "unit", "t")
    asked = turns.rename(columns={"unit": "game"})[["game", "t", "question"]]
    answers = whole("answers", ["answerer"], "unit", "t").merge(asked, on=["game", "t"])
    label = {True: "YES", False: "NO", None: "UNKNOWN"}
    places = zip(answers["paper"], answers["question"], strict=True)
    answers = answers.assign(label=[label[real[paper].holds(question)] for paper, question in places])
    lines = whole("lines", ["mentions"], "unit", "t")
    readings = Readings(turns, whole("parents", ["tree"], "unit", "t"), lines, answers)
    surveys = [work.surveys[paper] for paper in work.papers]
    return Tables(units, graded, panel_scores(wanted, graded), readings), read_worlds(real, surveys)


def apart(cast: Cast, tables: Tables, worlds: Worlds, runs: int, rng: np.random.Generator) -> pd.DataFrame:
    """A row per effect and paper that both have: value, the twin's mean, their gap, and error, the variance of that."""
    papers = len(worlds)
    twins = paper_values(cast, play_worlds(cast, worlds.take(np.tile(np.arange(papers), runs)), rng))
    grouped = twins.assign(paper=twins["paper"] % papers).groupby(["effect", "paper"])["value"]
    both = paper_values(cast, tables).merge(grouped.agg(["mean", "var", "size"]).reset_index(), on=["effect", "paper"])
    return both.assign(gap=both["value"] - both["mean"], error=both["var"] * (1 + 1 / both["size"]))


def compared(rows: pd.DataFrame, by: Sequence[str] = ("effect",)) -> pd.DataFrame:
    """By effect: means over papers in the pipeline and in the twin, n of them, and z of their difference."""
    found = rows.groupby(list(by)).agg(
        pipeline=("value", "mean"), twin=("mean", "mean"), gap=("gap", "sum"), error=("error", "sum"), n=("gap", "size")
    )
    spread = np.sqrt(found["error"])
    z = np.where(spread > 0, found["gap"] / spread.where(spread > 0, 1), np.where(found["gap"] == 0, 0.0, np.inf))
    return found.assign(z=z)[["pipeline", "twin", "n", "z"]].reset_index()
