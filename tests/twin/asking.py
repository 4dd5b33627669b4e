"""How the twin's seats choose a question, have it answered, and what the answer leaves on the table."""

import numpy as np
from twin.table import GENERIC, LINE, NO, PAIR, SAME, SIZE, TECHNIQUE, UNKNOWN, YES, Asked, Seat, Table
from twin.worlds import D, F, Flags, K, Reals, S, Whole

from actors.model import Persona
from actors.scripted.inquisitor import BEGINNING
from actors.scripted.question import PREDICATES


def choose(table: Table, seat: Seat, rng: np.random.Generator) -> Asked:
    """The question that the seat asks in each game."""
    games, rows = len(table.paper), np.arange(len(table.paper))
    here = np.arange(D) == table.branch[:, None]
    leaves = rng.random(games) < seat.dials["leave"]
    dwells = rng.random(games) < seat.dials["dwell"]
    pool = pool_of(seat, here, leaves, dwells)
    random = rng.random(games) >= seat.dials["skill"]
    near = np.where(pool, seat.nearest, np.float32(9))
    best = near <= near.min(axis=1, keepdims=True) + SAME
    weight = np.where(random[:, None], seat.count * pool, seat.ties * (pool & best))
    dim = drawn(weight.astype(np.float64), rng)
    distance = seat.distance[rows, dim]
    open_ = distance <= np.where(random, np.float32(1), seat.nearest[rows, dim] + SAME)[:, None]
    asked = on_lattice(table, dim, drawn(open_.astype(np.float64), rng))
    spare = np.flatnonzero(~pool.any(axis=1))
    return with_spare(table, seat, asked, spare, leaves, rng) if len(spare) else asked


def pool_of(seat: Seat, here: Flags, leaves: Flags, dwells: Flags) -> Flags:
    """Which dimensions' open questions are allowed, [G, D]; none where nothing is open."""
    there, free = seat.count > 0, ~seat.settled
    stays = (here & there & (free | dwells[:, None])).any(axis=1) & ~leaves
    unsettled, mine, others = ~here & free & there, here & there, ~here & there
    first, second = np.where(leaves[:, None], others, mine), np.where(leaves[:, None], mine, others)
    rest = np.where(first.any(axis=1, keepdims=True), first, second)
    elsewhere = np.where(unsettled.any(axis=1, keepdims=True), unsettled, rest)
    return np.where(stays[:, None], here, elsewhere)


def drawn(weight: Reals, rng: np.random.Generator) -> Whole:
    """A column of each row, drawn by its weight; 0 where all are 0."""
    sums = weight.cumsum(axis=1)
    mark = (1.0 - rng.random(len(weight))) * sums[:, -1]
    return np.asarray((sums < mark[:, None]).sum(axis=1), np.int64)


def on_lattice(table: Table, dim: Whole, item: Whole) -> Asked:
    """The question on an item of the lattice."""
    family, slot = item // S, item % S
    technique = np.where(slot > 0, family * K + slot - 1, -1)
    truth = table.worlds.truth[table.paper, dim]
    holds = np.where(slot > 0, technique == truth, family == truth // K).astype(np.int64)
    return Asked(dim, np.where(slot > 0, TECHNIQUE, LINE), item, technique, holds)


def with_spare(table: Table, seat: Seat, asked: Asked, games: Whole, leaves: Flags, rng: np.random.Generator) -> Asked:
    """The same, where some games have asked all that they know: pairs, then what any solution can be asked, a size."""
    rows = np.arange(len(games))
    known = seat.lattice[games][..., 1:].reshape(len(games), D, F * K)
    count = known.sum(axis=2)
    later = count[:, ::-1].cumsum(axis=1)[:, ::-1] - count
    room = (count * later + len(PREDICATES)) * table.worlds.real[table.paper[games]]
    free, here = table.used[games] < room, np.arange(D) == table.branch[games, None]
    other = drawn((free & ~here).astype(np.float64), rng)
    mine, others = (free & here).any(axis=1), (free & ~here).any(axis=1)
    stays = mine & ~(leaves[games] & others)
    dim = np.where(stays, table.branch[games], other)
    size, place = ~(mine | others), table.used[games, dim]
    form = np.where(size, SIZE, np.where(place < (count * later)[rows, dim], PAIR, GENERIC))
    first, second = np.divmod(place, np.maximum(later[rows, dim], 1))
    technique = (known[rows, dim].cumsum(axis=1) > first[:, None]).argmax(axis=1)
    truth = table.worlds.truth[table.paper[games]]
    true = np.take_along_axis(known, truth[:, :, None], axis=2)[:, :, 0]
    rank = np.take_along_axis(known.cumsum(axis=2), truth[:, :, None], axis=2)[:, :, 0] - 1
    offset = later[rows, dim][:, None] - later - count + rank  # of each later dimension's truth among the seconds
    is_later = np.arange(D) > dim[:, None]
    both = (technique == truth[rows, dim]) & (true & is_later & (offset == second[:, None])).any(axis=1)
    table.used[games[~size], dim[~size]] += 1
    found = (
        np.where(size, -1, dim),
        form,
        np.full(len(games), -1),
        np.where(form == PAIR, technique, -1),
        np.where(form == PAIR, both, -1),
    )
    for whole, part in zip(asked, found, strict=True):
        whole[games] = part
    return asked


def answered(asked: Asked, answerer: Persona, rng: np.random.Generator) -> Whole:
    """What an answerer says: places in ``ANSWERS`` from 1."""
    unknown = (asked.holds < 0) | (rng.random(len(asked.dim)) < answerer.unknown)
    flips = rng.random(len(asked.dim)) < answerer.flip
    return np.where(unknown, UNKNOWN, np.where((asked.holds == 1) != flips, YES, NO))


def note(table: Table, asked: Asked, answer: Whole, rng: np.random.Generator, rut: Reals) -> None:
    """Put a question and its answer on the table; after the first ten a rut is drawn at its player's rate."""
    rows = np.arange(len(asked.dim))
    on = asked.item >= 0
    table.told.reshape(len(rows), D, F * S)[rows[on], asked.dim[on], asked.item[on]] = answer[on]
    t = table.t + 1
    family = np.where(on, asked.item // S, F)
    place = np.where(asked.dim < 0, D, asked.dim)
    before, last = table.branch, table.last[rows, place, family]
    parent = np.where(last > 0, last, np.where((before == asked.dim) & (t > 1), t - 1, 0))
    table.last[rows, place, family] = t
    table.branches += parent == 0
    table.branch = asked.dim.copy()
    table.asked.append(asked)
    table.answers.append(answer)
    table.parents.append(parent)
    if t == BEGINNING and rut.any():
        touched = np.zeros((len(rows), D + 1), bool)
        for each in table.asked:
            touched[rows, each.dim] = True  # -1 is the last column, for what is on no dimension
        table.missing = ~touched[:, :D] & (rng.random((len(rows), D)) < rut[:, None])
