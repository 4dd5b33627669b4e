"""The reference player: no language model, no knowledge of its own, the question of highest expected information.

It reads its survey, holds a belief over the lattice, and asks what tells it most about the solution, whatever branch
that is on. Nothing in it needs a scripted answerer: its questions are plain English. Greedy, one question ahead: what
it asks is not the optimal plan of a whole game, and no bound on one.
"""

from collections.abc import Sequence
from math import log2

from actors.dialogue import Answer, CardReply, Turn
from actors.scripted.belief import Belief, Channel
from actors.scripted.card import Manner, write_card
from actors.scripted.chance import generator
from actors.scripted.inquisitor import known_lattice, spare_questions, spare_size
from actors.scripted.lattice import Lattice
from actors.scripted.proposing import candidates, pick
from actors.scripted.world import World

# A paper says what it uses and seldom what it does not use: UNKNOWN is mild evidence against a technique.
READER = Channel(
    so={Answer.YES: 0.88, Answer.NO: 0.02, Answer.UNKNOWN: 0.1},
    not_so={Answer.YES: 0.02, Answer.NO: 0.83, Answer.UNKNOWN: 0.15},
)


def entropy(probabilities: Sequence[float]) -> float:
    """Shannon entropy in bits."""
    return -sum(p * log2(p) for p in probabilities if p > 0)


def information(p: float, channel: Channel) -> float:
    """Mutual information in bits between the answer and what is asked, which is so with probability ``p``."""
    answer = entropy([p * channel.so[each] + (1 - p) * channel.not_so[each] for each in Answer])
    noise = p * entropy(list(channel.so.values())) + (1 - p) * entropy(list(channel.not_so.values()))
    return answer - noise


class Reference:
    """The reference player on one world, of which it uses the names of the dimensions alone."""

    def __init__(self, name: str, world: World) -> None:
        self.name = name
        self.world = world
        self._lattices: dict[str | None, Lattice] = {}

    def lattice(self, context: str | None) -> Lattice:
        """All that it can ask about: what the survey names."""
        if context not in self._lattices:
            self._lattices[context] = known_lattice(self.world, {}, context)
        return self._lattices[context]

    def ask(self, context: str | None, history: Sequence[Turn], seed: int) -> str:
        """The most informative question that was not asked; the first in the survey's order where several are."""
        axes = self.lattice(context)
        belief = Belief(history, READER)
        pool = [each for axis in axes for each in belief.stand(axis).open]
        if not pool:
            spare = (each for axis in axes for each in spare_questions(axis, axes) if each not in belief.told)
            return next(spare, None) or spare_size(belief)
        gain = {p: information(p, READER) for p in {p for _, p in pool}}
        return max(pool, key=lambda each: gain[each[1]])[0]

    def card(self, history: Sequence[Turn], seed: int) -> CardReply:
        """What it holds more likely than not; it never guesses."""
        return write_card(self.world, self.lattice(None), history, READER, Manner(), generator(self.name, "card", seed))

    def pick(self, history: Sequence[Turn], proposals: Sequence[str], seed: int) -> int:
        """The position, from 1, of the proposal whose answer it foresees least."""
        rng = generator(self.name, "pick", seed, len(history))
        return pick(self.world, self.lattice(None), history, proposals, READER, 1.0, rng)

    def candidates(self, wanted: int, seed: int) -> list[str]:
        """It knows nothing unasked."""
        return candidates({}, wanted, generator(self.name, "candidates", seed))
