"""The scripted expansion: techniques of the catalogue added, swapped, united with a sibling's, dropped, or taken anew.

A task without a catalogue has its ideas united and varied by title, which is enough to play with.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import combinations
from random import Random
from typing import Any

from actors.row import Row
from actors.scripted.chance import generator
from solvers.idea import Kind
from solvers.operators import ideate
from solvers.operators.expand import Proposal, Proposals, sieve
from solvers.operators.operator import Payload

SHOWN = 80  # characters of a title within another


def expand(payload: Payload, seed: int) -> Row:
    """One idea of each kind that is allowed, where there is one; all of them may stand."""
    rng = generator("expand", seed, payload["idea"]["id"], payload["attempt"]["branch"])
    rules = by_techniques if payload["task"]["techniques"] else by_title
    kept, _ = sieve(Proposals(proposals=tuple(rules(payload, rng))), payload)
    return Proposals(proposals=tuple(kept))


def by_techniques(payload: Payload, rng: Random) -> Iterator[Proposal]:
    """Sets of techniques that no idea in the pool has, named as the ideator names them."""
    about = dict(payload["task"]["techniques"])
    seen = {frozenset(row["techniques"]) for row in payload["pool"]}
    own = [name for name in payload["idea"]["techniques"] if name in about]
    others = [name for name in rng.sample(list(about), len(about)) if name not in own]
    refined = shrunk(own, others) if Kind.FIX_ERROR in payload["kinds"] else grown(own, others)
    wanted: list[tuple[Kind, Iterable[Iterable[str]], dict[str, str]]] = [
        (Kind(payload["kinds"][0]), refined, {}),
        *((Kind.CROSS_POLLINATE, [[*own, *names]], source) for source, _, names in sources(payload)),
        (Kind.NEW_IDEA, anew(payload, others), {}),
    ]
    for kind, sets, source in wanted:
        chosen = next((one for one in map(frozenset, sets) if one and one not in seen and one <= about.keys()), None)
        if chosen is not None:
            seen.add(chosen)
            yield proposal(kind, ideate.sketch_of((name for name in about if name in chosen), about), source)


def grown(own: list[str], others: list[str]) -> Iterator[list[str]]:
    """One technique more, or another one in the place of the last."""
    yield from ([*own, name] for name in others)
    yield from ([*own[:-1], name] for name in others)


def shrunk(own: list[str], others: list[str]) -> Iterator[list[str]]:
    """Without the last technique, without another one, or with a new one in its place."""
    yield from (own[:at] + own[at + 1 :] for at in reversed(range(len(own))))
    yield from ([*own[:-1], name] for name in others)


def anew(payload: Payload, others: list[str]) -> Iterator[tuple[str, ...]]:
    """Techniques that no idea has used, then those that this one has not, alone and in pairs."""
    used = {name for row in payload["pool"] for name in row["techniques"]}
    for names in ([name for name in others if name not in used], others):
        yield from combinations(names, 1)
        yield from combinations(names, 2)


def sources(payload: Payload) -> list[tuple[dict[str, str], str, list[str]]]:
    """What there is to unite with, siblings by score and then lessons' ideas: its name, title and techniques."""
    pool: dict[str, dict[str, Any]] = {row["id"]: row for row in payload["pool"]}
    siblings = sorted(payload["siblings"], key=lambda row: row["score"] or 0.0, reverse=True)
    named = [("sibling_referenced", row["idea_id"]) for row in siblings if row["success"]]
    named += [("lesson_context_idea", row["context_idea"]) for row in payload["lessons"]]
    return [({key: name}, pool[name]["title"], pool[name]["techniques"]) for key, name in named if name in pool]


def by_title(payload: Payload, rng: Random) -> Iterator[Proposal]:
    """The idea varied, united with another one, and a sentence of the task's description taken at its word."""
    title = payload["idea"]["title"][:SHOWN]
    first = Kind(payload["kinds"][0])
    verb = "Repair" if first is Kind.FIX_ERROR else "Push"
    yield proposal(first, ideate.sketch_from(f"{verb} what branch {payload['attempt']['branch']} built: {title}"), {})
    for source, other, _ in sources(payload):
        yield proposal(Kind.CROSS_POLLINATE, ideate.sketch_from(f"Unite: {title} + {other[:SHOWN]}"), source)
    said = ideate.sentences(payload["task"])
    sketches = map(ideate.sketch_from, rng.sample(said, len(said)))
    for sketch in ideate.fresh(sketches, {"known": payload["pool"], "count": 1}):
        yield proposal(Kind.NEW_IDEA, sketch, {})


def proposal(kind: Kind, sketch: ideate.Proposal, source: dict[str, str]) -> Proposal:
    """A sketch as a proposal of a kind."""
    return Proposal.model_validate({**sketch.model_dump(), "kind": kind.value, **source})


RULES: dict[str, Callable[[Payload, int], Row]] = {"expand": expand}
