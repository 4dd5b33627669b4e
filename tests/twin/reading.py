"""What is read out of the twin's games: trees, survey lines, and the same questions answered again."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from twin.asking import answered
from twin.table import ANSWERS, SIZE, Table
from twin.worlds import D, F, K, S, Whole

from actors.model import Persona
from pipelines.analysis.order import GAME

SLIP = 0.05
"""The second annotator's, as the shipped skimmer's; the first sees what is there."""


class Readings(NamedTuple):
    """turns and parents of the games whose trees are read, lines under surveys, answers of other answerers."""

    turns: pd.DataFrame
    parents: pd.DataFrame
    lines: pd.DataFrame
    answers: pd.DataFrame


def read(
    table: Table,
    units: pd.DataFrame,
    trees: Collection[str],
    lined: Collection[str],
    again: Mapping[str, Persona],
    same: bool,
    rng: np.random.Generator,
) -> Readings:
    """Of the first replicates: trees of some models, lines of others under surveys, answers where there is no survey.

    same: lines are those of the full survey whatever the condition, for players that read none.
    """
    first = units["replicate"] == 0
    plain, surveyed = first & (units["condition"] == "none"), first & (units["condition"] != "none")
    in_tree = np.flatnonzero(plain & units["model"].isin(trees))
    in_lines = np.flatnonzero(surveyed & units["model"].isin(lined))
    asked_again = np.flatnonzero(plain & units["model"].isin(lined))
    rows = long(units, in_tree, table.t)
    turns = rows.assign(answer=said(np.stack(table.answers)[:, in_tree].ravel())).rename(columns={"game": "unit"})
    parents = rows.assign(annotator="reader", parent=np.stack(table.parents)[:, in_tree].ravel().astype(np.float64))
    answers = [again_answered(table, units, asked_again, name, each, rng) for name, each in again.items()]
    whole = pd.concat(answers, ignore_index=True) if answers else rows.iloc[:0]
    return Readings(turns, parents, lines(table, units, in_lines, same, rng), whole)


def said(answers: Whole) -> np.ndarray:
    """The words for what was told."""
    return np.array([str(each) for each in ANSWERS], dtype=object)[answers - 1]


def long(units: pd.DataFrame, games: Sequence[int] | Whole, length: int) -> pd.DataFrame:
    """A row per turn and game, turn by turn."""
    return pd.concat([units.iloc[games][list(GAME)]] * length, ignore_index=True).assign(
        t=np.repeat(np.arange(1, length + 1), len(games))
    )


def lines(table: Table, units: pd.DataFrame, games: Whole, same: bool, rng: np.random.Generator) -> pd.DataFrame:
    """A row per question and annotator: the line of the game's survey that it asks about, 0 where it is none."""
    worlds, paper = table.worlds, table.paper[games]
    decoy = (units["condition"].iloc[games] == "decoy").to_numpy() & (not same)
    surveyed = np.where(decoy[:, None, None, None], worlds.surveys["decoy"][paper], worlds.surveys["full"][paper])
    shown, rows, found = surveyed.reshape(len(games), D, F * S), np.arange(len(games)), []
    for each in table.asked:
        dim, technique, item = each.dim[games], each.technique[games], each.item[games]
        family = np.where(technique >= 0, technique // K, item // S)
        place = np.where(technique >= 0, family * S + technique % K + 1, item)
        named = (place >= 0) & (each.form[games] != SIZE) & shown[rows, dim, np.maximum(place, 0)]
        found.append(np.where(named, worlds.number[paper, dim, np.maximum(family, 0)], 0))
    line, of = np.concatenate(found).astype(np.float64), worlds.number[paper].max(axis=(1, 2))
    told = long(units, games, table.t).assign(
        line=line, inserted=np.tile(worlds.inserted[paper], table.t), of=np.tile(of, table.t), annotator="reader"
    )
    slips = rng.random(len(line)) < SLIP
    other = rng.integers(0, np.maximum(told["of"], 1))
    wrong = np.where(other >= line, other + 1, other)  # any line, or none, but the right one
    return pd.concat([told, told.assign(line=np.where(slips, wrong, line), annotator="skimmer")], ignore_index=True)


def again_answered(
    table: Table, units: pd.DataFrame, games: Whole, name: str, answerer: Persona, rng: np.random.Generator
) -> pd.DataFrame:
    """What another answerer says to the same questions, and what is true (``label``)."""
    asked = [type(each)(*(part[games] for part in each)) for each in table.asked]
    heard = np.concatenate([answered(each, answerer, rng) for each in asked])
    holds = np.concatenate([each.holds for each in asked])
    label = np.array(["UNKNOWN", "NO", "YES"], dtype=object)[holds + 1]
    return long(units, games, table.t).assign(answerer=name, answer=said(heard), label=label)
