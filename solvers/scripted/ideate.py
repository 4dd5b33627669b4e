"""The scripted ideator and its critic: techniques of the catalogue, alone and combined, or what the background says."""

from collections.abc import Callable
from itertools import combinations
from random import Random

from actors.row import Row
from actors.scripted.chance import generator
from solvers.operators.ideate import Proposals, Verdict, Verdicts, fresh, sentences, sketch_from, sketch_of
from solvers.operators.operator import Payload
from solvers.operators.views import normal

MIXTURE = (1, 2, 1, 3, 2)
"""How many techniques an idea combines, in turn."""


def ideate(payload: Payload, seed: int) -> Row:
    """Singles, pairs and triples in an order of the seed's; half of them go on from what was best so far."""
    rng = generator("ideate", seed)
    about = dict(payload["task"]["techniques"])
    if not about:
        said = sentences(payload["task"])
        return Proposals(ideas=tuple(fresh(map(sketch_from, rng.sample(said, len(said))), payload)))
    order = list(about)
    used = {frozenset(idea["techniques"]) for idea in payload["known"]}
    wanted = 2 * payload["count"]  # more than is asked for: a title may be in the pool already
    sets = [one for one in drawn(order, payload, rng, wanted) if frozenset(one) not in used]
    if not sets:
        sets = [(name,) for name in order]
    return Proposals(ideas=tuple(fresh((sketch_of(names, about) for names in sets), payload)))


def drawn(order: list[str], payload: Payload, rng: Random, wanted: int) -> list[tuple[str, ...]]:
    """Sets of techniques without repeats, ``wanted`` at most, each in the catalogue's order."""
    grown = [
        frozenset([*idea["techniques"], name])
        for idea in payload["best"]
        for name in rng.sample(order, len(order))
        if idea["techniques"] and name not in idea["techniques"]
    ]
    by_size = {size: [frozenset(one) for one in combinations(order, size)] for size in (1, 2, 3)}
    for sets in by_size.values():
        rng.shuffle(sets)
    mixed: list[frozenset[str]] = []
    while any(by_size.values()) and len(mixed) < wanted:
        size = MIXTURE[len(mixed) % len(MIXTURE)]
        pool = by_size[size] or next(sets for sets in by_size.values() if sets)
        mixed.append(pool.pop())
    shuffled = [one for pair in zip(grown, mixed, strict=False) for one in pair] + mixed[len(grown) :]
    return [tuple(name for name in order if name in one) for one in dict.fromkeys(shuffled)][:wanted]


def critic(payload: Payload, seed: int) -> Row:
    """Keeps what no idea in the pool and no earlier proposal is: by techniques where it has any, else by title."""
    del seed
    seen = {identity(idea) for idea in payload["known"]}
    verdicts = []
    for one in payload["proposals"]:
        repeated = identity(one) in seen
        seen.add(identity(one))
        reason = "Another idea is the same." if repeated else "Nothing speaks against trying it."
        verdicts.append(Verdict(number=one["number"], reason=reason, feasible=not repeated))
    if not any(one.feasible for one in verdicts):
        verdicts[0] = verdicts[0].model_copy(update={"feasible": True, "reason": "A repeat, but there is no other."})
    return Verdicts(verdicts=tuple(verdicts))


def identity(idea: Payload) -> frozenset[str]:
    """What makes an idea the same as another."""
    return frozenset(idea["techniques"]) or frozenset([normal(idea["title"])])


RULES: dict[str, Callable[[Payload, int], Row]] = {"ideate": ideate, "critic": critic}
