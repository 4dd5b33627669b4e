"""What the twin's cards state of the truth, what judges give for it, and which proposal a selector picks."""

from collections.abc import Sequence

import numpy as np
from twin.asking import drawn
from twin.table import Asked, Seat, Table, stand
from twin.worlds import D, F, Flags, K, Reals, S, Whole

from actors.model import Persona
from actors.scripted.card import STATED
from actors.scripted.inquisitor import SPAN
from actors.scripted.judge import CORE


def with_mentioned(own: Flags, told: np.ndarray) -> Flags:
    """Own knowledge and what was asked about, [.., F, S]: the lattice that cards and picks are on."""
    lattice = own | (told > 0)
    lattice[..., 0] |= lattice[..., 1:].any(axis=-1)
    return lattice


def stated(table: Table, seat: Seat, rng: np.random.Generator) -> Flags:
    """Which dimensions' truth each game's card states now, [G, D]."""
    games, learns = len(table.paper), seat.dials["learns"] > 0
    told = table.told * learns[:, None, None, None]
    belief = stand(with_mentioned(seat.own, told), told)
    weight = belief.weight[..., 1:].reshape(games, D, F * K)
    truth = table.worlds.truth[table.paper]
    true = np.take_along_axis(weight, truth[:, :, None], axis=2)[:, :, 0]
    most, whole = weight.max(axis=2), weight.sum(axis=2)
    sure = most >= STATED * belief.total
    guess = seat.dials["knowledge"][:, None] * true / np.where(whole > 0, whole, 1)
    hit = np.where(sure, true >= most, rng.random((games, D)) < guess)
    lost = np.minimum(1.0, ((table.branches * learns - seat.dials["peak"]) / SPAN) ** 2)
    left_out = rng.random((games, D)) < np.nan_to_num(lost)[:, None]
    missing = table.missing & learns[:, None]
    return hit & ~left_out & ~missing & table.worlds.real[table.paper]


def coverage(table: Table, found: Flags) -> Reals:
    """Weighted share of the truth, 0-1, [G]."""
    real = table.worlds.real[table.paper].sum(axis=1)
    core = found[np.arange(len(found)), table.worlds.core[table.paper]]
    return CORE * core + (1 - CORE) * (found.sum(axis=1) - core) / (real - 1)


def ratings(
    covered: Reals, accents: Sequence[str], who: Whole, judges: Sequence[Persona], rng: np.random.Generator
) -> Whole:
    """One column a judge; ``accents`` by player, ``who`` is each game's."""
    given = []
    for judge in judges:
        bias = np.array([judge.bias.get(accent, 0.0) if accent else 0.0 for accent in accents])[who]
        raw = 1 + 9 * covered + judge.leniency + bias + judge.noise * rng.standard_normal(len(covered))
        given.append(np.clip(np.rint(raw), 1, 10).astype(np.int64))
    return np.stack(given, axis=1)


def pick(table: Table, selector: Seat, proposals: Sequence[Asked], rng: np.random.Generator) -> Whole:
    """Which of the proposals, all on the lattice, the selector takes."""
    rows = np.arange(len(table.paper))
    distance = []
    for each in proposals:
        lattice = selector.own[rows, each.dim] | (table.told[rows, each.dim] > 0)
        for other in proposals:
            same = rows[other.dim == each.dim]
            lattice.reshape(-1, F * S)[same, other.item[same]] = True
        lattice[..., 0] |= lattice[..., 1:].any(axis=-1)
        belief = stand(lattice, table.told[rows, each.dim])
        chance = belief.weight.reshape(-1, F * S)[rows, each.item] / belief.total
        distance.append(np.abs(chance - 0.5))
    far = np.stack(distance, axis=1)
    best = far <= far.min(axis=1, keepdims=True) + 1e-6
    blind = rng.random(len(rows)) >= selector.dials["skill"]
    return drawn(np.where(blind[:, None], 1.0, best), rng)
