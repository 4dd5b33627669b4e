"""What stands on the tables of many games at once: what was told, who sits there, and what each seat believes.

The numbers are those of `actors.scripted.belief`, in 32 bits; only a dimension that was asked about is reckoned anew.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from twin.worlds import CONDITIONS, D, F, Flags, Reals, S, Whole, Worlds, items

from actors.dialogue import Answer
from actors.model import Persona
from actors.scripted.belief import OTHER, OTHER_IN_FAMILY, PLAYER, SETTLED

ANSWERS = tuple(Answer)
"""Told is a place in this tuple counted from 1; 0 is not asked."""
YES, NO, UNKNOWN = (ANSWERS.index(each) + 1 for each in (Answer.YES, Answer.NO, Answer.UNKNOWN))
RATIO = np.array([1.0, *(PLAYER.ratio[each] for each in ANSWERS)], np.float32)
LINE, TECHNIQUE, PAIR, GENERIC, SIZE = range(5)
SAME = 1e-6
"""How far two chances may differ that are one but for rounding."""

Chances = NDArray[np.float32]


class Asked(NamedTuple):
    """One question of each game. dim: -1 for one on the size; technique: family * K + technique, of a pair the first.

    item: family * S + slot, -1 where the lattice does not hold it; holds: 1, 0, or -1 where there is nothing to hold.
    """

    dim: Whole
    form: Whole
    item: Whole
    technique: Whole
    holds: Whole


class Stand(NamedTuple):
    """Of some dimensions: the weight of each item [.., F, S], their total with the rest, and whether it is settled."""

    weight: Chances
    total: Chances
    settled: Flags


def stand(lattice: Flags, told: NDArray[np.int8]) -> Stand:
    """The posterior over items; ``lattice`` and ``told`` are [.., F, S]."""
    factor = RATIO[told] * lattice
    line = factor[..., 0].copy()
    factor[..., 1:] *= line[..., None]
    mass, top = OTHER_IN_FAMILY * line, OTHER_IN_FAMILY * line
    for slot in range(1, S):  # several times faster than to reduce over axes that are so short
        mass, top = mass + factor[..., slot], np.maximum(top, factor[..., slot])
    factor[..., 0] = mass
    total, most = np.full(mass.shape[:-1], OTHER, np.float32), np.full(mass.shape[:-1], OTHER, np.float32)
    for family in range(F):
        total, most = total + mass[..., family], np.maximum(most, top[..., family])
    return Stand(factor, total, most >= SETTLED * total)


@dataclass
class Seat:
    """One player in each game: dials [G], what it knows and what it can ask about, [G, D, F, S], and its belief.

    distance: of each open item's chance from one half, 9 where it is not open; nearest, ties, count, settled: [G, D].
    """

    dials: dict[str, Reals]
    own: Flags
    lattice: Flags
    distance: Chances = field(init=False)
    nearest: Chances = field(init=False)
    ties: Whole = field(init=False)
    count: Whole = field(init=False)
    settled: Flags = field(init=False)

    def __post_init__(self) -> None:
        games = len(self.own)
        self.distance = np.empty((games, D, F * S), np.float32)
        self.nearest, self.settled = np.empty((games, D), np.float32), np.empty((games, D), bool)
        self.ties, self.count = np.empty((games, D), np.int64), np.empty((games, D), np.int64)

    def look(self, told: NDArray[np.int8], games: Whole, dims: Whole) -> None:
        """Reckon some dimensions of some games."""
        lattice, heard = self.lattice[games, dims], told[games, dims]
        belief = stand(lattice, heard)
        chance = belief.weight / belief.total[:, None, None]
        distance = np.where(lattice & (heard == 0), np.abs(chance - 0.5), 9.0).reshape(len(games), -1)
        nearest = distance.min(axis=1)
        self.distance[games, dims], self.nearest[games, dims] = distance, nearest
        self.ties[games, dims] = (distance <= nearest[:, None] + SAME).sum(axis=1) * (nearest < 1)
        self.count[games, dims], self.settled[games, dims] = (distance < 1).sum(axis=1), belief.settled

    def take(self, games: Whole) -> "Seat":
        """The seat in some of the games."""
        found = Seat({name: dial[games] for name, dial in self.dials.items()}, self.own[games], self.lattice[games])
        for name in ("distance", "nearest", "ties", "count", "settled"):
            setattr(found, name, getattr(self, name)[games])
        return found


@dataclass
class Table:
    """Many games side by side. paper [G]; told [G, D, F, S]; branch [G]; used [G, D]: spare questions asked.

    last [G, D + 1, F + 1]: the latest question on each family; place F for no family, D for no dimension. missing
    [G, D]: dimensions left out of cards. The log has a row per turn; begun: turns before the log.
    """

    worlds: Worlds
    paper: Whole
    told: NDArray[np.int8]
    branch: Whole
    used: Whole
    last: Whole
    branches: Whole
    missing: Flags
    asked: list[Asked] = field(default_factory=list)
    answers: list[Whole] = field(default_factory=list)
    parents: list[Whole] = field(default_factory=list)

    @property
    def t(self) -> int:
        """Questions asked so far."""
        return len(self.asked)

    def take(self, games: Whole) -> "Table":
        """A copy of some of the games, each as often as it is named."""
        logs = {name: [each[games] for each in getattr(self, name)] for name in ("answers", "parents")}
        asked = [Asked(*(part[games] for part in each)) for each in self.asked]
        arrays = ("paper", "told", "branch", "used", "last", "branches", "missing")
        return replace(self, asked=asked, **logs, **{name: getattr(self, name)[games] for name in arrays})


def lay(worlds: Worlds, paper: Whole) -> Table:
    """The tables of games that have not begun."""
    games = len(paper)
    none = {"branch": np.full(games, -1), "branches": np.zeros(games, np.int64)}
    told, used = np.zeros((games, D, F, S), np.int8), np.zeros((games, D), np.int64)
    last = np.zeros((games, D + 1, F + 1), np.int64)
    return Table(worlds, paper, told, used=used, last=last, missing=np.zeros((games, D), bool), **none)


def seat(table: Table, personas: Sequence[Persona], who: Whole, condition: Whole) -> Seat:
    """Who sits in each game: places in ``personas``, and in ``CONDITIONS``, [G]."""
    names = ("knowledge", "skill", "leave", "dwell", "rut", "peak", "learns")
    told = [[getattr(each, name) for each in personas] for name in names]
    dials = {name: np.array(values, np.float64)[who] for name, values in zip(names, told, strict=True)}
    paper = table.paper
    own = items(table.worlds.draw[paper] < dials["knowledge"][:, None, None, None])
    reads = np.array([each.reads for each in personas])[who]
    lattice = own.copy()
    for place, name in enumerate(CONDITIONS):
        seen = (condition == place) & reads
        lattice[seen] |= table.worlds.surveys[name][paper[seen]]
    found = Seat(dials, own, lattice)
    games = np.repeat(np.arange(len(paper)), D)
    found.look(table.told, games, np.tile(np.arange(D), len(paper)))
    return found
