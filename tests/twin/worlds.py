"""Worlds of the twin: many lattices with their truth in padded arrays, drawn anew or read from real scripted worlds.

Axes: P papers, D dimensions, F families, K techniques; places that a paper lacks are False. An item is what can be
asked of a dimension: slot 0 of a family is the family itself, slots 1..K are its techniques.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from actors.scripted.chance import uniform
from actors.scripted.lattice import outline
from actors.scripted.world import World
from actors.survey import Survey

Flags = NDArray[np.bool_]
Whole = NDArray[np.int64]
Reals = NDArray[np.float64]

D, F, K = 7, 6, 5
S = 1 + K
CONDITIONS = ("none", "decoy", "full")
"""Without dummy, which names techniques that the world lacks."""


@dataclass(frozen=True)
class Worlds:
    """technique [P, D, F, K]: what there is, core and rival (the decoy) included. truth [P, D]: family * K + technique.

    core [P]: the dimension of the core. rival [P]: the decoy's place on it, in the core's family. draw [P, D, F, K]:
    who knows more than this knows the technique.
    """

    technique: Flags
    truth: Whole
    core: Whole
    rival: Whole
    draw: Reals

    def __len__(self) -> int:
        return len(self.core)

    def take(self, rows: Whole) -> "Worlds":
        """Some of the papers, each as often as it is named."""
        parts = (self.technique, self.truth, self.core, self.rival, self.draw)
        return Worlds(*(part[rows] for part in parts))

    @cached_property
    def real(self) -> Flags:
        """Which dimensions there are, [P, D]."""
        return self.technique.any(axis=(2, 3))

    @cached_property
    def surveys(self) -> dict[str, Flags]:
        """Which items each condition's survey names, [P, D, F, S]."""
        rows, flat = np.arange(len(self)), self.technique.reshape(len(self), D, F * K)
        full, decoy = flat.copy(), flat.copy()
        full[rows, self.core, self.rival] = False
        decoy[rows, self.core, self.truth[rows, self.core]] = False
        return {"none": np.zeros((len(self), D, F, S), bool), "decoy": items(decoy), "full": items(full)}

    @cached_property
    def number(self) -> Whole:
        """The survey's lines counted through from 1, [P, D, F]; 0 where there is none."""
        there = self.technique.any(axis=3)
        return np.cumsum(there.reshape(len(self), -1), axis=1).reshape(there.shape) * there

    @cached_property
    def inserted(self) -> Whole:
        """The number of the line that names the core or the decoy."""
        rows = np.arange(len(self))
        return self.number[rows, self.core, self.rival // K]


def items(techniques: Flags) -> Flags:
    """Techniques, [P, D, F * K] or [P, D, F, K], as items [P, D, F, S]; a family stands where it has a technique."""
    shaped = techniques.reshape(len(techniques), D, F, K)
    return np.concatenate([shaped.any(axis=3, keepdims=True), shaped], axis=3)


def draw_worlds(count: int, rng: np.random.Generator) -> Worlds:
    """Papers of the shipped surveys' shape: 6-7 dimensions, 5-6 families each, mostly 4 techniques each, else 3."""
    dims, families = 6 + rng.integers(0, 2, (count, 1)), 5 + rng.integers(0, 2, (count, D))
    techniques = np.where(rng.random((count, D, F)) < 0.9, 4, 3)
    lines = (np.arange(F) < families[:, :, None]) & (np.arange(D) < dims)[:, :, None]
    techniques = techniques * lines
    technique = np.arange(K) < techniques[..., None]
    flat = technique.reshape(count, D, F * K)
    truth = np.where(flat, rng.random(flat.shape), -1.0).argmax(axis=2)
    core, rows = rng.integers(0, dims[:, 0]), np.arange(count)
    family = truth[rows, core] // K
    rival = family * K + techniques[rows, core, family]
    flat[rows, core, rival] = True
    return Worlds(technique, truth, core, rival, np.where(technique, rng.random(technique.shape), 1.0))


def read_worlds(worlds: Sequence[World], surveys: Sequence[Survey]) -> Worlds:
    """The twin of real worlds, knowledge included, in their order."""
    count = len(worlds)
    technique, draw = np.zeros((count, D, F, K), bool), np.ones((count, D, F, K))
    truth, core, rival = np.zeros((count, D), np.int64), np.zeros(count, np.int64), np.zeros(count, np.int64)
    for row, (world, survey) in enumerate(zip(worlds, surveys, strict=True)):
        decoy = outline(survey.versions["decoy"])
        for d, (dimension, lines) in enumerate(world.outline.items()):
            for f, (family, phrases) in enumerate(lines.items()):
                for k, phrase in enumerate(phrases):
                    technique[row, d, f, k] = True
                    draw[row, d, f, k] = uniform("known", world.key, dimension, phrase)
                    if phrase == world.truth[dimension]:
                        truth[row, d] = f * K + k
                    if dimension == world.core and survey.decoy.casefold() in phrase.casefold():
                        assert phrase in decoy[dimension][family]
                        core[row], rival[row] = d, f * K + k
    return Worlds(technique, truth, core, rival, draw)
