"""Playing the twin's games: solo games, forks of them, and pooled games, many at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import yaml
from twin.asking import answered, choose, note
from twin.cards import coverage, pick, stated
from twin.table import Asked, Seat, Table, lay, seat
from twin.worlds import Reals, Whole, Worlds

from actors.model import Persona
from pipelines.settings import ROOT


def persona(name: str, folder: Path = ROOT / "conf" / "model") -> Persona:
    """The dials of one of the scripted models that ship."""
    return Persona(**yaml.safe_load((folder / f"{name}.yaml").read_text()).get("persona", {}))


@dataclass
class Played:
    """Games that were played: their table at the end, who sat there, and by t what the cards cover, 0-1, [G]."""

    table: Table
    seat: Seat
    covered: dict[int, Reals]


def begin(worlds: Worlds, personas: Sequence[Persona], paper: Whole, who: Whole, condition: Whole) -> Played:
    """Games before their first question."""
    table = lay(worlds, paper)
    return Played(table, seat(table, personas, who, condition), {})


def play(game: Played, answerer: Persona, until: int, cards: Sequence[int], rng: np.random.Generator) -> None:
    """Play on until question ``until``; a card is written at each t in ``cards`` that is met, 0 included."""
    rows = np.arange(len(game.table.paper))
    while True:
        if game.table.t in cards:
            game.covered[game.table.t] = coverage(game.table, stated(game.table, game.seat, rng))
        if game.table.t == until:
            return
        asked = choose(game.table, game.seat, rng)
        note(game.table, asked, answered(asked, answerer, rng), rng, game.seat.dials["rut"])
        on = rows[asked.item >= 0]
        game.seat.look(game.table.told, on, asked.dim[on])


def fork(game: Played, games: Whole) -> Played:
    """Some of the games, each as often as it is named, as they stand: to be played on, apart from their sources."""
    return Played(game.table.take(games), game.seat.take(games), {})


@dataclass
class Pool:
    """Pooled games: the seats that propose, the one that picks and writes cards, and which games' picks are drawn."""

    game: Played
    proposers: list[Seat]
    random: Whole


def pool(game: Pool, answerer: Persona, until: int, cards: Sequence[int], rng: np.random.Generator) -> Whole:
    """Play to the end; who was picked, [T, G]. Proposers must have something to ask to the end."""
    table, selector = game.game.table, game.game.seat
    rows, picked = np.arange(len(table.paper)), []
    while True:
        if table.t in cards:
            game.game.covered[table.t] = coverage(table, stated(table, selector, rng))
        if table.t == until:
            return np.array(picked)
        proposals = [choose(table, each, rng) for each in game.proposers]
        assert all((each.item >= 0).all() for each in proposals), "a proposer has nothing left to ask"
        taken = pick(table, selector, proposals, rng)
        taken = np.where(game.random > 0, rng.integers(0, len(proposals), len(rows)), taken)
        asked = Asked(*(np.stack(parts)[taken, rows] for parts in zip(*proposals, strict=True)))
        note(table, asked, answered(asked, answerer, rng), rng, selector.dials["rut"])
        for each in game.proposers:
            each.look(table.told, rows, asked.dim)
        picked.append(taken)
