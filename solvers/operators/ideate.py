"""Ideate: proposes ideas for a task, and lets a critic drop what cannot be built or repeats another (AIM, ideator).

So that about as many feasible ones come as were asked for, a second round asks for those that are missing. It is told
what was refused, and may bring nothing: the first round's rules, that there be ideas at all, do not hold in it.

What a catalogue's solver cannot build is no idea here: where a task names techniques, those it does not know are struck
out, and a proposal that is left with none is dropped. Not guarded: two titles for one idea; the critic looks for that.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, combinations, count
from typing import Any

from actors.row import Row
from solvers.idea import Experiment, Idea, Kind, Sketch, Source
from solvers.operators.operator import Consult, Consulted, Operator, Payload
from solvers.operators.said import Said
from solvers.operators.views import Shown, normal, standing, task_view
from solvers.state import State

ROUNDS = 2
LEAST = 2  # proposals that a reply of the first round must hold: fewer cannot be organised
SURPLUS = 2  # times the ideas asked for: what a critic is shown at most
TITLE_WORDS = 10  # of a sentence that is made into an idea
SENTENCE = re.compile(r"(?<=[.!?])\s+")


class Trial(Experiment, Said):
    """An experiment as a model writes it."""


class SketchSaid(Sketch, Said):
    """An idea as a model writes it, with whatever else it says."""

    experiments: tuple[Trial, ...] = ()
    risks: str = ""
    techniques: tuple[str, ...] = ()


class SketchesSaid(Said):
    """The ideator's reply."""

    ideas: tuple[SketchSaid, ...]


class Verdict(Said):
    """The critic's word on one proposal, by its number."""

    number: int
    reason: str
    feasible: bool


class Verdicts(Said):
    """The critic's reply."""

    verdicts: tuple[Verdict, ...]


class Ideation(Row):
    """One round of the ideator and its critic: a row of the table ``ideations``. iteration: before which; round: 1, 2.

    asked: how many ideas were wanted. proposed: how many the ideator's reply holds; dropped: of these, what could not
    be used, its title known or no technique of the catalogue in it, or beyond twice what was asked; refused: by the
    critic; kept: for the pool. What is left was above what was asked. fallback, critic_fallback: whose reply could not
    stand, so that a rule decided.
    """

    iteration: int
    round: int
    asked: int
    proposed: int
    dropped: int
    refused: int
    kept: int
    fallback: bool
    critic_fallback: bool


def titles(payload: Payload) -> list[str]:
    """Those that no new idea may have: of the pool, and of what was refused."""
    return [idea["title"] for idea in (*payload["known"], *payload["refused"])]


def usable(reply: SketchesSaid, payload: Payload) -> list[SketchSaid]:
    """Proposals with a title that is new and, where the task names techniques, with some of these and no others."""
    known = {name for name, _ in payload["task"]["techniques"]}
    seen = set(map(normal, titles(payload)))
    found = []
    for idea in reply.ideas:
        names = tuple(dict.fromkeys(name for name in idea.techniques if name in known))
        if normal(idea.title) not in seen and (names or not known):
            seen.add(normal(idea.title))
            found.append(idea.model_copy(update={"techniques": names}))
    return found[: SURPLUS * payload["count"]]


def too_few(reply: SketchesSaid, payload: Payload) -> str:
    """Why proposals cannot stand."""
    least = payload["least"]
    if len(usable(reply, payload)) >= least:
        return ""
    named = " and names a technique from the list" if payload["task"]["techniques"] else ""
    return f"fewer than {least} of the {len(reply.ideas)} ideas had a title that is new{named}"


def unjudged(reply: Verdicts, payload: Payload) -> str:
    """Why verdicts cannot stand."""
    asked, said = [one["number"] for one in payload["proposals"]], [one.number for one in reply.verdicts]
    if sorted(said) != sorted(asked):
        return f"each of the numbers 1 to {len(asked)} needs exactly one verdict; the numbers were {said}"
    if payload["least"] and not any(one.feasible for one in reply.verdicts):
        return "no proposal was kept; keep at least the most feasible one"
    return ""


def sketch_of(names: Iterable[str], about: Mapping[str, str]) -> SketchSaid:
    """The idea of using some techniques of a catalogue. about: what each does."""
    chosen = tuple(names)
    called = [name.replace("_", " ") for name in chosen]
    title = " with ".join([called[0], " and ".join(called[1:])] if called[1:] else called)
    does = "; ".join(f"{name}: {about[key]}" for name, key in zip(called, chosen, strict=True))
    return SketchSaid(
        title=title[:1].upper() + title[1:],
        short_hypothesis=f"{title} makes the solution better than the best one without it.",
        abstract=f"Use {' and '.join(called)}. {does}.",
        experiments=(
            Trial(hypothesis=f"{title} pays.", steps=(f"Build {title} at its defaults.", "Tune its parameters.")),
        ),
        risks="The techniques may be in each other's way." if called[1:] else "Another bottleneck may hide the gain.",
        techniques=chosen,
    )


def sketch_from(sentence: str) -> SketchSaid:
    """The idea of taking a sentence about the task at its word."""
    title = " ".join(sentence.split()[:TITLE_WORDS])[:200]
    return SketchSaid(
        title=title,
        short_hypothesis=f"Acting on this makes the solution better: {sentence[:1500]}",
        abstract=sentence,
        experiments=(Trial(hypothesis="It pays.", steps=("Change the baseline accordingly.", "Measure it.")),),
        risks="It may not be where the time goes.",
    )


def sentences(task: Mapping[str, Any]) -> list[str]:
    """What the background says, or else the instruction, sentence by sentence without marks; never nothing."""
    said = []
    for paragraph in re.split(r"\n\s*\n|\n(?=\s*[-*#])", (task["brief"] or task["instruction"]).replace("**", "")):
        text = " ".join(paragraph.split())
        if not text.startswith(("#", "`", "|")):
            said += [part.lstrip("-*• ") for part in SENTENCE.split(text)]
    return [one for one in said if len(one.split()) > 3] or ["Write the baseline anew, with fewer steps."]


def retitled(sketches: Iterable[SketchSaid], taken: Iterable[str], most: int) -> list[SketchSaid]:
    """The sketches whose titles are not taken, then second, third ... variants of them: ``most`` in all."""
    firsts = list(sketches)
    variants = (one.model_copy(update={"title": f"{one.title} (variant {n})"}) for n in count(2) for one in firsts)
    seen = set(map(normal, taken))
    found: list[SketchSaid] = []
    for one in chain(firsts, variants):
        if len(found) == most:
            break
        if normal(one.title) not in seen:
            seen.add(normal(one.title))
            found.append(one)
    return found


def plain_proposals(payload: Payload) -> SketchesSaid:
    """Each technique by itself, then in pairs; or the background's sentences. As many as are asked for.

    None in a second round, which only a model can have a reason for.
    """
    if not payload["least"]:
        return SketchesSaid(ideas=())
    about = dict(payload["task"]["techniques"])
    sets = [*combinations(about, 1), *combinations(about, 2)]
    sketches = [sketch_of(names, about) for names in sets] or map(sketch_from, sentences(payload["task"]))
    return SketchesSaid(ideas=tuple(retitled(sketches, titles(payload), payload["count"])))


def keep_all(payload: Payload) -> Verdicts:
    """Every proposal: what cannot be built costs a branch, what is never tried may cost the search."""
    numbers = (one["number"] for one in payload["proposals"])
    return Verdicts(verdicts=tuple(Verdict(number=number, reason="", feasible=True) for number in numbers))


IDEATE = Operator("ideate", SketchesSaid, too_few, plain_proposals)
CRITIC = Operator("critic", Verdicts, unjudged, keep_all)


async def ideate(consult: Consult, state: State, count: int, part: str) -> list[Idea]:
    """New ideas for the pool, one at least and ``count`` at most, which the caller welcomes. None if none is asked for.

    The critic is asked as ``part``.critic, the second round as ``part``.again. Each round is a row of ``ideations``.
    """
    chosen: list[SketchSaid] = []
    refused: list[Shown] = []
    for number in range(1, ROUNDS + 1):
        if len(chosen) < count:
            own = part if number == 1 else f"{part}.again"
            kept, gone = await propose(consult, state, ideate_payload(state, count, chosen, refused, number), own)
            chosen, refused = [*chosen, *kept], [*refused, *gone]
    first = len(state.ideas) + 1
    return [
        Idea(id=f"i{at:03d}", source=Source.IDEATOR, kind=Kind.SEED, iteration=state.iteration, **one.model_dump())
        for at, one in enumerate(chosen, first)
    ]


def ideate_payload(
    state: State, count: int, chosen: Sequence[SketchSaid], refused: Sequence[Shown], number: int
) -> Shown:
    """What the ideator is shown in a round. known: the pool and what earlier rounds chose; least: that must come."""
    best, worst = standing(state)
    missing = count - len(chosen)
    rows = [idea.model_dump(mode="json", include={"id", "title", "techniques"}) for idea in state.ideas.values()]
    rows += [{"id": "", "title": one.title, "techniques": list(one.techniques)} for one in chosen]
    return {
        "task": task_view(state),
        "round": number,
        "count": missing,
        "least": min(LEAST, missing) if number == 1 else 0,
        "known": rows,
        "refused": list(refused),
        "best": best,
        "worst": worst,
    }


async def propose(consult: Consult, state: State, payload: Shown, part: str) -> tuple[list[SketchSaid], list[Shown]]:
    """One round: the proposals that are kept, and those that the critic refused, with its reason."""
    said = await consult(IDEATE, payload, part)
    proposed = usable(said.reply, payload)
    judged = Consulted(Verdicts(verdicts=()), fallback=False)
    if proposed:
        numbered = [{"number": number, **one.model_dump(mode="json")} for number, one in enumerate(proposed, 1)]
        shown = {name: payload[name] for name in ("task", "known", "least")}
        judged = await consult(CRITIC, {**shown, "proposals": numbered}, f"{part}.critic")
    verdicts = sorted(judged.reply.verdicts, key=lambda one: one.number)
    feasible = [proposed[one.number - 1] for one in verdicts if one.feasible]
    refused = [{"title": proposed[one.number - 1].title, "reason": one.reason} for one in verdicts if not one.feasible]
    kept = feasible[: payload["count"]]
    state.add("ideations", Ideation(
        iteration=state.iteration, round=payload["round"], asked=payload["count"], proposed=len(said.reply.ideas),
        dropped=len(said.reply.ideas) - len(proposed), refused=len(refused), kept=len(kept), fallback=said.fallback,
        critic_fallback=judged.fallback,
    ))  # fmt: skip
    return kept, refused
