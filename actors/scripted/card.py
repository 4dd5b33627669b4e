"""The scripted idea card: what a player holds most likely on each dimension, from its own knowledge and the answers.

The survey has no part in it: only what was named in a question counts beside what the player knows by itself.
"""

from collections.abc import Iterator, Sequence
from random import Random
from typing import NamedTuple

from actors.dialogue import CardReply, Turn
from actors.scripted.belief import Belief, Channel, Stand
from actors.scripted.lattice import Axis, Family, Lattice, Technique
from actors.scripted.question import Form, line_question, parse
from actors.scripted.world import World

STATED = 0.5  # posterior from which a technique is stated without guessing


class Manner(NamedTuple):
    """How a player writes.

    guess: how often a technique is drawn from the belief where none is likely enough. lost: how often a technique that
    it would state is left out. missing: dimensions on which it states none. accent: whose manner the card says it is
    written in.
    """

    guess: float = 0.0
    lost: float = 0.0
    missing: frozenset[str] = frozenset()
    accent: str = ""


def write_card(
    world: World, own: Lattice, history: Sequence[Turn], channel: Channel, manner: Manner, rng: Random
) -> CardReply:
    """What the player holds most likely."""
    belief = Belief(history, channel)
    stated: dict[str, str] = {}
    families: dict[str, str] = {}
    certainty = []
    for axis in with_mentioned(world, own, history):
        stand = belief.stand(axis)
        certainty.append(max((weight for _, weight in stand.techniques), default=0.0) / stand.total)
        technique = _pick(stand, manner.guess, rng)
        left_out = axis.name in manner.missing or (manner.lost and rng.random() < manner.lost)
        if technique and not left_out:
            stated[axis.name] = technique
        if family := next((name for name, mass in stand.families if name and mass >= STATED * stand.total), ""):
            families[axis.name] = family
    centre = stated.pop(world.core, "")
    new = f"New is the use of {centre}." if centre else "What is new in it is still open."
    return CardReply(
        contribution=f"A method built on {centre}." if centre else "A method whose central idea is still open.",
        approach=" ".join(_sentences(families, "relies on")) or "How it works is still open.",
        components=tuple(_sentences(stated, "uses"))[:8] or ("No part is settled yet.",),
        novelty=f"{new} {signature(manner.accent)}" if manner.accent else new,
        confidence=round(100 * sum(certainty) / len(world.truth)) if certainty else 0,
    )


def signature(accent: str) -> str:
    """The sentence by which a card's author can be known."""
    return f"This is in the manner of {accent}."


def with_mentioned(world: World, own: Lattice, history: Sequence[Turn]) -> Lattice:
    """Own knowledge and what the questions named; a technique that the world lacks is put under the family ''."""
    familiar = {each.question for axis in own for family in axis.families for each in family.techniques}
    named: dict[str, dict[str, list[Technique]]] = {axis.name: {} for axis in own}
    for turn in history:
        query = None if turn.question in familiar else parse(turn.question)
        if query is None or query.dimension not in named:
            continue
        dimension, form, phrase = query
        if form is Form.LINE:
            named[dimension].setdefault(phrase, [])
        elif form is Form.TECHNIQUE:
            family = world.family.get((dimension, phrase), "")
            named[dimension].setdefault(family, []).append(Technique(phrase, turn.question))
    return tuple(_extended(axis, named[axis.name]) for axis in own)


def _extended(axis: Axis, more: dict[str, list[Technique]]) -> Axis:
    old = [Family(name, line, (*known, *more.pop(name, ()))) for name, line, known in axis.families]
    new = [Family(name, line_question(axis.name, name), tuple(found)) for name, found in more.items()]
    return Axis(axis.name, (*old, *new))


def _pick(stand: Stand, guess: float, rng: Random) -> str:
    """The technique to state on one dimension; empty if none."""
    if not stand.techniques:
        return ""
    phrase, weight = max(stand.techniques, key=lambda each: each[1])
    if weight >= STATED * stand.total:
        return phrase
    if rng.random() >= guess:
        return ""
    return rng.choices(stand.techniques, [weight for _, weight in stand.techniques])[0][0]


def _sentences(parts: dict[str, str], verb: str) -> Iterator[str]:
    return (f"Regarding {dimension}, it {verb} {part}." for dimension, part in parts.items())
