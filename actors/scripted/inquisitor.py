"""The scripted inquisitor: what it knows, how well it picks a question, and how readily it leaves a branch."""

from collections.abc import Iterator, Sequence
from itertools import count
from random import Random

from actors.dialogue import CardReply, Turn
from actors.model import Persona
from actors.scripted.belief import PLAYER, Belief
from actors.scripted.card import Manner, write_card
from actors.scripted.chance import generator, uniform
from actors.scripted.lattice import Axis, Lattice, Outline, join, lattice, read_context
from actors.scripted.proposing import candidates, pick
from actors.scripted.question import PREDICATES, generic_question, pair_question, parse, size_question
from actors.scripted.tree import branches
from actors.scripted.world import World

BEGINNING = 10  # questions that a rut hangs on
SPAN = 10  # branches from the peak at which a card holds nothing


class Player:
    """One player on one world. The branch it is in is the dimension of its last question.

    It tells neither the instruction nor the number of the turn from anything else: a scripted player has no strategy
    beyond its persona.
    """

    def __init__(self, name: str, persona: Persona, world: World) -> None:
        self.name = name
        self.persona = persona
        self.world = world
        self.own = own_knowledge(persona.knowledge, world)
        self._lattices: dict[str | None, Lattice] = {}

    def lattice(self, context: str | None) -> Lattice:
        """All that it can ask about; every dimension of the world is in it, perhaps empty."""
        if context not in self._lattices:
            self._lattices[context] = known_lattice(self.world, self.own, context)
        return self._lattices[context]

    def ask(self, context: str | None, history: Sequence[Turn], seed: int) -> str:
        """A question that the history does not hold."""
        rng = generator(self.name, "question", seed, len(history))
        axes = self.lattice(context)
        belief = Belief(history, PLAYER)
        branch = current_branch(history)
        leaves = rng.random() < self.persona.leave
        dwells = self.persona.dwell > 0 and rng.random() < self.persona.dwell
        pool = self._pool(axes, belief, branch, leaves, dwells)
        if not pool:
            return self._spare(axes, belief, branch, leaves, rng)
        if rng.random() >= self.persona.skill:
            return rng.choice(pool)[0]
        nearest = min(abs(p - 0.5) for _, p in pool)  # the entropy of a noisy YES or NO is highest at one half
        return rng.choice([question for question, p in pool if abs(p - 0.5) == nearest])

    def card(self, history: Sequence[Turn], seed: int) -> CardReply:
        """Its idea; the less it knows, the less it guesses."""
        rng = generator(self.name, "card", seed, len(history))
        told, persona = history if self.persona.learns else (), self.persona
        manner = Manner(persona.knowledge, self.lost(told), self.missing(told), persona.accent)
        return write_card(self.world, self.lattice(None), told, PLAYER, manner, rng)

    def lost(self, history: Sequence[Turn]) -> float:
        """How often a part is left out of its card: the further the number of branches is from the peak, the more."""
        if self.persona.peak is None:
            return 0.0
        count = branches(self.world, [(turn.t, turn.question) for turn in history])
        return min(1.0, ((count - self.persona.peak) / SPAN) ** 2)

    def missing(self, history: Sequence[Turn]) -> frozenset[str]:
        """The dimensions that it never takes up: a share, drawn by its first questions, of those they left alone."""
        if self.persona.rut == 0 or len(history) < BEGINNING:
            return frozenset()
        begun = [turn.question for turn in history[:BEGINNING]]
        touched = {query.dimension for each in begun if (query := parse(each))}
        left = [each for each in self.world.truth if each not in touched]
        return frozenset(each for each in left if uniform(self.name, "rut", each, *begun) < self.persona.rut)

    def pick(self, history: Sequence[Turn], proposals: Sequence[str], seed: int) -> int:
        """The position, from 1, of the proposal that it would ask."""
        rng = generator(self.name, "pick", seed, len(history))
        return pick(self.world, self.lattice(None), history, proposals, PLAYER, self.persona.skill, rng)

    def candidates(self, wanted: int, seed: int) -> list[str]:
        """What it proposes without having asked anything."""
        return candidates(self.own, wanted, generator(self.name, "candidates", seed))

    def _pool(
        self, axes: Lattice, belief: Belief, branch: str | None, leaves: bool, dwells: bool
    ) -> list[tuple[str, float]]:
        """The allowed questions: its branch's or, when it leaves or the branch is done, those of unsettled others.

        Who dwells is not done with a branch that is settled. With nothing unsettled left it goes on as before, over
        what has not been asked.
        """
        here = [belief.stand(axis) for axis in axes if axis.name == branch]
        if here and here[0].open and not leaves and (dwells or not here[0].settled):
            return here[0].open
        others = [belief.stand(axis) for axis in axes if axis.name != branch]
        unsettled = [each for stand in others if not stand.settled for each in stand.open]
        if unsettled:
            return unsettled
        rest = [[each for stand in stands for each in stand.open] for stands in (here, others)]
        return (rest[1] or rest[0]) if leaves else (rest[0] or rest[1])

    def _spare(self, axes: Lattice, belief: Belief, branch: str | None, leaves: bool, rng: Random) -> str:
        """Something new when all that it knows has been asked: from its branch, else from another, else a size."""
        here = [axis for axis in axes if axis.name == branch]
        others = [axis for axis in axes if axis.name != branch]
        rng.shuffle(others)
        for axis in [*others, *here] if leaves else [*here, *others]:
            if question := next((each for each in spare_questions(axis, axes) if each not in belief.told), None):
                return question
        return spare_size(belief)


def own_knowledge(knowledge: float, world: World) -> Outline:
    """The techniques that a model knows by itself, the same in all its games.

    Each technique has one draw for all models: who has more knowledge knows all that others know, and more. So personas
    keep their order on a handful of papers, and an obscure technique is obscure to everyone.
    """
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    for dimension, families in world.outline.items():
        kept = {
            family: tuple(each for each in techniques if uniform("known", world.key, dimension, each) < knowledge)
            for family, techniques in families.items()
        }
        found[dimension] = {family: techniques for family, techniques in kept.items() if techniques}
    return found


def known_lattice(world: World, own: Outline, context: str | None) -> Lattice:
    """Own knowledge and the survey in one; the names of the dimensions are known to everyone."""
    names: Outline = {dimension: {} for dimension in world.outline}
    return lattice(join([names, read_context(context or ""), own]))


def current_branch(history: Sequence[Turn]) -> str | None:
    """The dimension of the last question."""
    query = parse(history[-1].question) if history else None
    return query.dimension if query else None


def spare_questions(axis: Axis, axes: Lattice) -> Iterator[str]:
    """Pairs of known techniques, the second of a later dimension, then what can be asked of any solution."""
    later = axes[[each.name for each in axes].index(axis.name) + 1 :]
    for first in (technique for family in axis.families for technique in family.techniques):
        for other in later:
            for family in other.families:
                for second in family.techniques:
                    yield pair_question(axis.name, first.phrase, second.phrase)
    yield from (generic_question(axis.name, predicate) for predicate in PREDICATES)


def spare_size(belief: Belief) -> str:
    """The first question about the size that was not asked."""
    return next(text for n in count(1) if (text := size_question(n)) not in belief.told)
