"""The scripted judge: how much of the truth a card states, with the judge's leniency and noise on top."""

from collections.abc import Mapping

import orjson

from actors.dialogue import RatingReply
from actors.model import Persona
from actors.scripted.card import signature
from actors.scripted.chance import generator
from actors.scripted.world import World

CORE = 0.5  # the core weighs as much as all other dimensions together


def stated(world: World, card: Mapping[str, object]) -> dict[str, bool]:
    """Per dimension, whether the card states its truth word for word; ``card`` holds the four solution fields."""
    parts = [card["contribution"], card["approach"], *_texts(card["components"]), card["novelty"]]
    text = "\n".join(map(str, parts)).casefold()
    return {dimension: technique.casefold() in text for dimension, technique in world.truth.items()}


def coverage(world: World, found: Mapping[str, bool]) -> float:
    """Weighted share of the truth that was found, in 0-1."""
    others = sum(found.values()) - found[world.core]
    return CORE * found[world.core] + (1 - CORE) * others / (len(found) - 1)


def rate(name: str, persona: Persona, world: World, card: Mapping[str, object], seed: int) -> RatingReply:
    """round(1 + 9 coverage + leniency + bias + noise * normal), kept in 1-10; bias where the card bears an accent."""
    rng = generator(name, "rating", seed, orjson.dumps(card))
    found = stated(world, card)
    bias = sum(points for accent, points in persona.bias.items() if signature(accent) in str(card["novelty"]))
    raw = 1 + 9 * coverage(world, found) + persona.leniency + bias + persona.noise * rng.gauss()
    centre = "among them the central one" if found[world.core] else "the central one is missing"
    return RatingReply(
        rationale=f"It states {sum(found.values())} of the {len(found)} parts of the solution; {centre}.",
        score=min(10, max(1, round(raw))),
    )


def _texts(components: object) -> tuple[object, ...]:
    return tuple(components) if isinstance(components, tuple | list) else (components,)
