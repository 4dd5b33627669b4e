"""What scripted players say beside questions and cards: which proposal they pick, and what they would guess unasked."""

from collections.abc import Sequence
from random import Random

from actors.dialogue import Answer, Turn
from actors.scripted.belief import Belief, Channel
from actors.scripted.card import with_mentioned
from actors.scripted.lattice import Lattice, Outline
from actors.scripted.world import World


def pick(
    world: World,
    own: Lattice,
    history: Sequence[Turn],
    proposals: Sequence[str],
    channel: Channel,
    skill: float,
    rng: Random,
) -> int:
    """A position from 1: with probability ``skill`` the proposal whose answer is least foreseeable, else any.

    What was asked before, and what the lattice does not hold, tells nothing.
    """
    if rng.random() >= skill:
        return rng.randrange(len(proposals)) + 1
    asking = [Turn(t=0, question=each, answer=Answer.UNKNOWN) for each in proposals]
    belief = Belief(history, channel)
    chance = {
        question: p
        for axis in with_mentioned(world, own, [*history, *asking])
        for question, p in belief.stand(axis).open
    }
    distance = [abs(chance.get(each, 0.0) - 0.5) for each in proposals]
    return rng.choice([place for place, each in enumerate(distance, 1) if each == min(distance)])


def candidates(own: Outline, count: int, rng: Random) -> list[str]:
    """So many solutions, each of one known technique on every dimension where the player knows any."""
    known = {
        dimension: [each for techniques in families.values() for each in techniques]
        for dimension, families in own.items()
    }
    return [
        " ".join(f"Regarding {dimension}, use {rng.choice(of)}." for dimension, of in known.items() if of)
        or "Nothing comes to mind."
        for _ in range(count)
    ]
