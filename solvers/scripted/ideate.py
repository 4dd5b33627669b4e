"""The scripted ideator and its critic: techniques of the catalogue in combinations, or what the background says."""

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import cycle
from math import ceil
from random import Random

from actors.row import Row
from actors.scripted.chance import generator
from solvers.operators.ideate import (
    SketchesSaid,
    SketchSaid,
    Verdict,
    Verdicts,
    retitled,
    sentences,
    sketch_from,
    sketch_of,
    titles,
)
from solvers.operators.operator import Payload
from solvers.operators.views import normal
from solvers.scripted.techniques import Task, combined

SHARES = (0.5, 0.5, 0.4, 0.4, 0.4, 0.3, 0.3, 0.2, 0.15, 0.0)
"""How many of all techniques an idea combines, in turn; one at least. The broadest first: they say most."""
TRIES = 20  # sets that are drawn for one idea, before there are none that are new


def ideate(payload: Payload, seed: int) -> Row:
    """Combinations that have every technique in some idea, in an order of the seed's; or sentences of the task."""
    rng = generator("ideate", seed)
    task = payload["task"]
    if not task["techniques"]:
        said = sentences(task)
        plain = map(sketch_from, rng.sample(said, len(said)))
        return SketchesSaid(ideas=tuple(retitled(plain, titles(payload), payload["count"])))
    sets = [*drawn(payload, rng)] or [[name] for name, _ in task["techniques"]]
    made = (sketched(names, task) for names in sets)
    return SketchesSaid(ideas=tuple(retitled(made, titles(payload), payload["count"])))


def sketched(names: list[str], task: Task) -> SketchSaid:
    """The idea of some techniques: two of the same ones have the same title, whatever their order is."""
    about = dict(task["techniques"])
    return sketch_of((name for name in about if name in names), about).model_copy(update={"techniques": tuple(names)})


def drawn(payload: Payload, rng: Random) -> Iterator[list[str]]:
    """New sets: what was best with something more, and balanced ones, in turn; all balanced at the beginning."""
    task = payload["task"]
    seen = {frozenset(idea["techniques"]) for idea in payload["known"]}
    used = Counter(name for idea in payload["known"] for name in idea["techniques"])
    bests = cycle([idea["techniques"] for idea in payload["best"] if idea["techniques"]] or [None])
    made = 0
    for at in range(TRIES * payload["count"]):
        if made == 2 * payload["count"]:  # more than is asked for: a title may be in the pool already
            return
        order = rarest(task, used, rng)
        best = next(bests) if at % 2 == 0 else None
        size = max(1, ceil(SHARES[made % len(SHARES)] * len(order)))
        names = combined(order if best is None else [*best, *order], task)
        names = names[: size if best is None else len(best) + 1]
        if frozenset(names) not in seen:
            seen.add(frozenset(names))
            used.update(names)
            made += 1
            yield names


def rarest(task: Task, used: Counter[str], rng: Random) -> list[str]:
    """The techniques that the fewest ideas have go first."""
    names = [name for name, _ in task["techniques"]]
    return sorted(rng.sample(names, len(names)), key=used.__getitem__)


def critic(payload: Payload, seed: int) -> Row:
    """Keeps what no idea in the pool and no earlier proposal is: by techniques where it has any, else by title.

    One at least, where that is asked for.
    """
    del seed
    seen = {identity(idea) for idea in payload["known"]}
    verdicts = []
    for one in payload["proposals"]:
        repeated = identity(one) in seen
        seen.add(identity(one))
        reason = "Another idea is the same." if repeated else "Nothing speaks against trying it."
        verdicts.append(Verdict(number=one["number"], reason=reason, feasible=not repeated))
    if payload["least"] and not any(one.feasible for one in verdicts):
        verdicts[0] = verdicts[0].model_copy(update={"feasible": True, "reason": "A repeat, but there is no other."})
    return Verdicts(verdicts=tuple(verdicts))


def identity(idea: Payload) -> frozenset[str]:
    """What makes an idea the same as another."""
    return frozenset(idea["techniques"]) or frozenset([normal(idea["title"])])


RULES: dict[str, Callable[[Payload, int], Row]] = {"ideate": ideate, "critic": critic}
