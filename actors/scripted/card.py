"""The scripted idea card: what a player holds most likely on each dimension, from its own knowledge and the answers.

The survey has no part in it: only what was named in a question counts beside what the player knows by itself.
"""

from collections.abc import Iterator, Sequence
from random import Random

from actors.dialogue import CardReply, Turn
from actors.scripted.belief import Belief, Channel, Stand
from actors.scripted.lattice import Outline, join, lattice
from actors.scripted.question import Form, parse
from actors.scripted.world import World

STATED = 0.5  # posterior from which a technique is stated without guessing


def write_card(
    world: World, own: Outline, history: Sequence[Turn], channel: Channel, guess: float, rng: Random
) -> CardReply:
    """A card; where nothing is likely enough, a technique is drawn from the belief with probability ``guess``."""
    belief = Belief(history, channel)
    stated: dict[str, str] = {}
    families: dict[str, str] = {}
    certainty = []
    for axis in lattice(join([own, mentioned(world, history)])):
        stand = belief.stand(axis)
        certainty.append(max((p for _, _, p in stand.techniques), default=0.0))
        if technique := _pick(stand, guess, rng):
            stated[axis.name] = technique
        if family := next((name for name, p in stand.families if name and p >= STATED), ""):
            families[axis.name] = family
    centre = stated.pop(world.core, "")
    return CardReply(
        contribution=f"A method built on {centre}." if centre else "A method whose central idea is still open.",
        approach=" ".join(_sentences(families, "relies on")) or "How it works is still open.",
        components=tuple(_sentences(stated, "uses"))[:8] or ("No part is settled yet.",),
        novelty=f"New is the use of {centre}." if centre else "What is new in it is still open.",
        confidence=round(100 * sum(certainty) / len(world.truth)) if certainty else 0,
    )


def mentioned(world: World, history: Sequence[Turn]) -> Outline:
    """What the questions named, each technique under its family; one that the world lacks has the family ''."""
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    for turn in history:
        query = parse(turn.question)
        if query is None:
            continue
        dimension, form, phrase = query
        if form is Form.LINE:
            found.setdefault(dimension, {}).setdefault(phrase, ())
        elif form is Form.TECHNIQUE:
            families = found.setdefault(dimension, {})
            family = world.family.get((dimension, phrase), "")
            families[family] = (*families.get(family, ()), phrase)
    return found


def _pick(stand: Stand, guess: float, rng: Random) -> str:
    """The technique to state on one dimension; empty if none."""
    if not stand.techniques:
        return ""
    phrase, _, likely = max(stand.techniques, key=lambda each: each[2])
    if likely >= STATED:
        return phrase
    if rng.random() >= guess:
        return ""
    return rng.choices(stand.techniques, [p for _, _, p in stand.techniques])[0][0]


def _sentences(parts: dict[str, str], verb: str) -> Iterator[str]:
    return (f"Regarding {dimension}, it {verb} {part}." for dimension, part in parts.items())
