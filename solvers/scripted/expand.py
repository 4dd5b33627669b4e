"""The scripted expansion: what paid is added, united with what else paid, and tried anew without a parent.

Techniques are weighed by what ideas with them scored and ideas without them did not. Early steps are large, since few
iterations follow. A task without a catalogue has its ideas united and varied by title, which is enough to play with.
"""

from collections.abc import Callable, Iterable, Iterator
from random import Random
from typing import Any

from actors.row import Row
from actors.scripted.chance import generator
from solvers.idea import Kind
from solvers.operators import ideate
from solvers.operators.expand import Proposal, Proposals, sieve
from solvers.operators.operator import Payload
from solvers.scripted.effects import HOPE, Effects, effects_of
from solvers.scripted.ideate import sketched
from solvers.scripted.techniques import combined

SHOWN = 80  # characters of a title within another
STRIDE = 3  # techniques that are added at once after the first iteration, one less after each of the following
HARM = -6.0  # points: what takes off more than this is left out of the next step
Way = tuple[Kind, Iterable[list[str]], dict[str, str]]
"""A kind of idea, the sets of techniques that it may be, the best first, and whom it takes from."""


def expand(payload: Payload, seed: int) -> Row:
    """One idea of each kind that is allowed, where there is one; all of them may stand."""
    rng = generator("expand", seed, payload["idea"]["id"], payload["attempt"]["branch"])
    rules = by_techniques if payload["task"]["techniques"] else by_title
    kept, _ = sieve(Proposals(proposals=tuple(rules(payload, rng))), payload)
    return Proposals(proposals=tuple(kept))


def by_techniques(payload: Payload, rng: Random) -> Iterator[Proposal]:
    """Sets of techniques that no idea in the pool has, the parent's first, then the most promising."""
    task = payload["task"]
    effects = effects_of(payload["measured"], task)
    own = combined(payload["idea"]["techniques"], task)
    known = [name for name, _ in task["techniques"]]
    others = [name for name in effects.ordered(rng.sample(known, len(known))) if name not in own]
    stride = max(1, STRIDE + 1 - payload["iteration"])
    refined = shrunk(own, others) if Kind.FIX_ERROR in payload["kinds"] else grown(own, others, effects, stride)
    ways: list[Way] = [
        (Kind(payload["kinds"][0]), refined, {}),
        *((Kind.CROSS_POLLINATE, united(own, names, effects), source) for source, _, names in sources(payload)),
        (Kind.NEW_IDEA, anew(payload, effects, rng), {}),
    ]
    seen = {frozenset(combined(row["techniques"], task)) for row in payload["pool"]}
    for kind, sets, source in ways:
        legal = (combined(names, task) for names in sets)
        chosen = next((names for names in legal if names and frozenset(names) not in seen), None)
        if chosen is not None:
            seen.add(frozenset(chosen))
            yield proposal(kind, sketched(chosen, task), source)


def grown(own: list[str], others: list[str], effects: Effects, stride: int) -> Iterator[list[str]]:
    """The best that is missing, several techniques at once or each alone, with and without what did harm."""
    good = [name for name in own if effects.of.get(name, 0.0) > HARM]
    for kept in (good, own):
        yield [*kept, *others[:stride]]
    for name in others:
        yield [*good, name]
        yield [*own, name]
    yield from ([name, *own] for name in others)  # what it excludes goes


def shrunk(own: list[str], others: list[str]) -> Iterator[list[str]]:
    """Without the last technique, without another one, or with a new one in its place."""
    yield from (own[:at] + own[at + 1 :] for at in reversed(range(len(own))))
    yield from ([*own[:-1], name] for name in others)


def united(own: list[str], names: list[str], effects: Effects) -> Iterator[list[str]]:
    """All techniques of both, without those that did harm and with them; where two exclude each other, the better."""
    both = effects.ordered(dict.fromkeys([*own, *names]))
    yield [name for name in both if effects.of.get(name, 0.0) > HARM]
    yield both


def anew(payload: Payload, effects: Effects, rng: Random) -> Iterator[list[str]]:
    """As many techniques as good ideas have, each by its promise and some luck, the less of it the more is known."""
    names = [name for name, _ in payload["task"]["techniques"]]
    best = max(payload["measured"], key=lambda row: row["score"] or 0.0, default={"techniques": names[:1]})
    size = len(best["techniques"])
    for count in (size, size + 1, *range(size, 0, -1)):
        luck = {name: HOPE * rng.gauss() / (1 + effects.times.get(name, 0)) ** 0.5 for name in names}
        drawn = sorted(names, key=lambda name: effects.promise(name) + luck[name], reverse=True)
        yield combined(drawn, payload["task"])[:count]


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
    for sketch in ideate.retitled(sketches, (one["title"] for one in payload["pool"]), 1):
        yield proposal(Kind.NEW_IDEA, sketch, {})


def proposal(kind: Kind, sketch: ideate.SketchSaid, source: dict[str, str]) -> Proposal:
    """A sketch as a proposal of a kind."""
    return Proposal.model_validate({**sketch.model_dump(), "kind": kind.value, **source})


RULES: dict[str, Callable[[Payload, int], Row]] = {"expand": expand}
