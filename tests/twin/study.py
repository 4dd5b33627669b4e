"""A study in the twin: papers from a population, every kind of game on each, and the tables that a run would leave.

Papers are numbered through, ``papers`` of them a study; games too. Cards at 0, 10, 20 and 30 of solo games, at the end
of forks and pooled games. Everything is drawn from one generator.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from twin.cards import ratings
from twin.play import Played, Pool, begin, fork, persona, play, pool
from twin.reading import Readings, read
from twin.table import seat
from twin.worlds import CONDITIONS, Whole, Worlds, draw_worlds

from actors.model import Persona
from pipelines.analysis.forks import SIDES, extremes
from pipelines.analysis.scores import panel_scores

CARDS = (0, 10, 20, 30)
T, CUT, T_POOL = 30, 10, 20
REPLICATES, CONTINUATIONS = 2, 2
FACTS = ["game", "paper", "model", "condition", "replicate", "questions", "kind"]
FORK, POOL = ["source", "side", "cut", "continuation"], ["selection"]


@dataclass(frozen=True)
class Cast:
    """Who plays. surveyed: under every condition; plain: without a survey; forked: of the plain ones, one that is cut.

    pools: selection, selector and proposers. trees: whose games' trees are read. own: by judge, its family's players.
    again: who answers once more. same: survey lines are the full survey's under decoy too.
    """

    personas: Mapping[str, Persona]
    surveyed: Sequence[str]
    plain: Sequence[str]
    forked: str
    pools: Sequence[tuple[str, str, Sequence[str]]]
    trees: Sequence[str]
    answerer: Persona
    judges: Mapping[str, Persona]
    own: Mapping[str, Sequence[str]]
    again: Mapping[str, Persona] = field(default_factory=dict)
    same: bool = False

    @property
    def names(self) -> list[str]:
        return list(self.personas)


def cast_of(names: Sequence[str]) -> dict[str, Persona]:
    """The shipped dials of some models."""
    return {name: persona(name) for name in names}


def peaked(name: str, peak: float) -> Persona:
    """A shipped player whose cards are best at another number of branches: games of 30 questions open fewer."""
    return persona(name).model_copy(update={"peak": peak})


def effects_cast() -> Cast:
    """The cast of the world in which there is something to find."""
    trio = ("novice", "adept", "master")
    broad = {name: peaked(name, 4.0) for name in ("delver", "steady", "rover")}
    return Cast(
        {**cast_of((*trio, "settler")), **broad},
        trio,
        ("settler", *broad),
        "settler",
        (
            *(("model", name, trio) for name in ("novice", "master")),
            ("random", "adept", trio),
            ("best_of", "adept", ("adept",) * 3),
        ),
        tuple(broad),
        persona("oracle"),
        cast_of(("lenient", "fair", "patron")),
        {"patron": ["delver"]},
        cast_of(("doubter", "hasty")),
    )


def null_cast() -> Cast:
    """The null world's."""
    trio = ("null-a", "null-b", "null-c")
    pools = [("model", name, trio) for name in trio]
    judges = cast_of(("whim-a", "whim-b", "whim-c"))
    return Cast(
        cast_of(trio), trio, (), "null-a", pools, (), persona("oracle"), judges, {"whim-a": ["null-a"]}, same=True
    )


@dataclass(frozen=True)
class Tables:
    """What the analyses take: units, cards with ratings, scores, and what was read."""

    units: pd.DataFrame
    graded: pd.DataFrame
    scores: pd.DataFrame
    readings: Readings


def play_studies(cast: Cast, papers: int, rng: np.random.Generator, first: int = 0) -> Tables:
    """So many papers drawn anew, numbered from ``first``, and their games."""
    return play_worlds(cast, draw_worlds(papers, rng), rng, first)


def play_worlds(cast: Cast, worlds: Worlds, rng: np.random.Generator, first: int = 0) -> Tables:
    """Every game on given papers, in one batch."""
    keys = solo_keys(cast, len(worlds))
    whole = begin(worlds, list(cast.personas.values()), *(keys[name] for name in ("paper", "who", "condition")))
    play(whole, cast.answerer, CUT, CARDS, rng)
    cut = np.flatnonzero((keys["who"] == cast.names.index(cast.forked)) & (keys["condition"] == 0))
    begun = fork(whole, cut)
    play(whole, cast.answerer, T, CARDS, rng)
    units, graded = told(cast, whole, keys, "game", T, rng, 0)
    readings = read(whole.table, units, cast.trees, cast.surveyed[:2], cast.again, cast.same, rng)
    scores = scored(graded)
    parts = [(units, graded)]
    parts.append(forks(cast, begun, cut, scores, keys, rng, len(units)))
    parts.append(pools(cast, worlds, rng, len(units) + len(parts[1][0])))
    units, graded = (pd.concat(each, ignore_index=True) for each in zip(*parts, strict=True))
    whole_scores = scored(graded)
    for frame in (units, graded, whole_scores, *readings):
        frame["paper"] += first
    return Tables(units, graded, whole_scores, readings)


def solo_keys(cast: Cast, papers: int) -> dict[str, Whole]:
    """paper, who, condition and replicate of every solo game."""
    groups = [(cast.names.index(name), place) for name in cast.surveyed for place in range(len(CONDITIONS))]
    groups += [(cast.names.index(name), 0) for name in cast.plain]
    who, condition = np.array(groups).T
    grid = np.stack(np.meshgrid(np.arange(papers), np.arange(len(groups)), np.arange(REPLICATES), indexing="ij"))
    paper, group, replicate = grid.reshape(3, -1)
    return {"paper": paper, "who": who[group], "condition": condition[group], "replicate": replicate}


def told(
    cast: Cast, game: Played, keys: Mapping[str, Whole], kind: str, T: int, rng: np.random.Generator, first: int
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The units of some games, and a row per card and judge."""
    names, conditions = np.array(cast.names), np.array(CONDITIONS)
    units = pd.DataFrame(
        {
            "game": first + np.arange(len(keys["paper"])),
            "paper": keys["paper"],
            "model": names[keys["who"]],
            "condition": conditions[keys["condition"]],
            "replicate": keys["replicate"],
            "questions": T,
            "kind": kind,
            "status": "ok",
        }
    )
    accents, judges = [each.accent for each in cast.personas.values()], list(cast.judges.values())
    parts = []
    for t, covered in game.covered.items():
        given = ratings(covered, accents, keys["who"], judges, rng)
        for place, judge in enumerate(cast.judges):
            parts.append(units[FACTS].assign(t=t, judge=judge, score=given[:, place].astype(np.float64)))
    return units, pd.concat(parts, ignore_index=True)


def scored(graded: pd.DataFrame) -> pd.DataFrame:
    """The panel's means."""
    cards = graded.drop_duplicates(["game", "t"])[[*FACTS, "t"]].reset_index(drop=True)
    return panel_scores(cards, graded)


def forks(
    cast: Cast,
    begun: Played,
    cut: Whole,
    scores: pd.DataFrame,
    keys: Mapping[str, Whole],
    rng: np.random.Generator,
    first: int,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Continue each paper's best and worst game."""
    own = extremes(scores.loc[scores["game"].isin(cut)]).dropna(subset=list(SIDES))
    sources = np.concatenate([own[side].to_numpy(dtype=np.int64) for side in SIDES for _ in range(CONTINUATIONS)])
    at = np.searchsorted(cut, sources)
    game = fork(begun, at)
    play(game, cast.answerer, T, (T,), rng)
    units, graded = told(cast, game, {name: value[sources] for name, value in keys.items()}, "fork", T, rng, first)
    side = np.repeat(np.array(SIDES), CONTINUATIONS * len(own))
    continuation = np.tile(np.repeat(np.arange(CONTINUATIONS), len(own)), len(SIDES))
    return units.assign(source=sources, side=side, cut=CUT, continuation=continuation), graded


def pools(cast: Cast, worlds: Worlds, rng: np.random.Generator, first: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """One pooled game of each kind on each paper."""
    paper, kind = (each.ravel() for each in np.meshgrid(np.arange(len(worlds)), np.arange(len(cast.pools))))
    names, personas = cast.names, list(cast.personas.values())
    selection = np.array([name for name, _, _ in cast.pools])[kind]
    who = np.array([names.index(selector) for _, selector, _ in cast.pools])[kind]
    nothing = np.zeros(len(paper), np.int64)
    game = begin(worlds, personas, paper, who, nothing)
    proposing = np.array([[names.index(each) for each in proposers] for _, _, proposers in cast.pools])[kind]
    seats = [seat(game.table, personas, column, nothing) for column in proposing.T]
    pool(Pool(game, seats, (selection == "random").astype(np.int64)), cast.answerer, T_POOL, (T_POOL,), rng)
    keys = {"paper": paper, "who": who, "condition": nothing, "replicate": nothing}
    units, graded = told(cast, game, keys, "pool", T_POOL, rng, first)
    return units.assign(selection=selection), graded
