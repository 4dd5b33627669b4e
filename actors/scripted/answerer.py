"""The scripted answerer: the truth, turned round or withheld at the persona's rates."""

from actors.dialogue import Answer
from actors.model import Persona
from actors.scripted.chance import uniform
from actors.scripted.world import World


def answer(name: str, persona: Persona, world: World, question: str, seed: int) -> Answer:
    """UNKNOWN for what the world does not hold; else UNKNOWN at rate ``unknown``, and of the rest ``flip`` wrong.

    The draw hangs on the question too, so that calls that share a seed do not share their errors.
    """
    holds = world.holds(question)
    if holds is None or uniform(name, "unknown", seed, question) < persona.unknown:
        return Answer.UNKNOWN
    return Answer.YES if holds != (uniform(name, "flip", seed, question) < persona.flip) else Answer.NO
