"""Ideate: proposes ideas for a task, and lets a critic drop what cannot be built or repeats another (AIM, ideator).

What a catalogue's solver cannot build is no idea here: where a task names techniques, those it does not know are struck
out, and a proposal that is left with none is dropped. Not guarded: two titles for one idea; the critic looks for that.
"""

import re
from collections.abc import Iterable, Mapping
from itertools import chain, combinations, count
from typing import Any

from solvers.idea import Experiment, Idea, Kind, Sketch, Source
from solvers.operators.operator import Consult, Operator, Payload
from solvers.operators.said import Said
from solvers.operators.views import normal, standing, task_view
from solvers.state import State

LEAST = 2  # proposals that a reply must hold: fewer cannot be organised
SURPLUS = 2  # times the ideas asked for: what a critic is shown at most
TITLE_WORDS = 10  # of a sentence that is made into an idea
SENTENCE = re.compile(r"(?<=[.!?])\s+")


class Trial(Experiment, Said):
    """An experiment as a model writes it."""


class Proposal(Sketch, Said):
    """An idea as a model writes it, with whatever else it says."""

    experiments: tuple[Trial, ...] = ()
    risks: str = ""
    techniques: tuple[str, ...] = ()


class Proposals(Said):
    """The ideator's reply."""

    ideas: tuple[Proposal, ...]


class Verdict(Said):
    """The critic's word on one proposal, by its number."""

    number: int
    reason: str
    feasible: bool


class Verdicts(Said):
    """The critic's reply."""

    verdicts: tuple[Verdict, ...]


def usable(reply: Proposals, payload: Payload) -> list[Proposal]:
    """Proposals with a title that is new and, where the task names techniques, with some of these and no others."""
    known = {name for name, _ in payload["task"]["techniques"]}
    seen = {normal(idea["title"]) for idea in payload["known"]}
    found = []
    for idea in reply.ideas:
        names = tuple(dict.fromkeys(name for name in idea.techniques if name in known))
        if normal(idea.title) not in seen and (names or not known):
            seen.add(normal(idea.title))
            found.append(idea.model_copy(update={"techniques": names}))
    return found[: SURPLUS * payload["count"]]


def too_few(reply: Proposals, payload: Payload) -> str:
    """Why proposals cannot stand."""
    least = min(LEAST, payload["count"])
    if len(usable(reply, payload)) >= least:
        return ""
    named = " and names a technique from the list" if payload["task"]["techniques"] else ""
    return f"fewer than {least} of the {len(reply.ideas)} ideas had a title that is new{named}"


def unjudged(reply: Verdicts, payload: Payload) -> str:
    """Why verdicts cannot stand."""
    asked, said = [one["number"] for one in payload["proposals"]], [one.number for one in reply.verdicts]
    if sorted(said) != sorted(asked):
        return f"each of the numbers 1 to {len(asked)} needs exactly one verdict; the numbers were {said}"
    if not any(one.feasible for one in reply.verdicts):
        return "no proposal was kept; keep at least the most feasible one"
    return ""


def sketch_of(names: Iterable[str], about: Mapping[str, str]) -> Proposal:
    """The idea of using some techniques of a catalogue. about: what each does."""
    chosen = tuple(names)
    called = [name.replace("_", " ") for name in chosen]
    title = " with ".join([called[0], " and ".join(called[1:])] if called[1:] else called)
    does = "; ".join(f"{name}: {about[key]}" for name, key in zip(called, chosen, strict=True))
    return Proposal(
        title=title[:1].upper() + title[1:],
        short_hypothesis=f"{title} makes the solution better than the best one without it.",
        abstract=f"Use {' and '.join(called)}. {does}.",
        experiments=(
            Trial(hypothesis=f"{title} pays.", steps=(f"Build {title} at its defaults.", "Tune its parameters.")),
        ),
        risks="The techniques may be in each other's way." if called[1:] else "Another bottleneck may hide the gain.",
        techniques=chosen,
    )


def sketch_from(sentence: str) -> Proposal:
    """The idea of taking a sentence about the task at its word."""
    title = " ".join(sentence.split()[:TITLE_WORDS])[:200]
    return Proposal(
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


def fresh(sketches: Iterable[Proposal], payload: Payload) -> list[Proposal]:
    """The sketches with new titles, then second, third ... variants of them: as many as are asked for."""
    firsts = list(sketches)
    variants = (one.model_copy(update={"title": f"{one.title} (variant {n})"}) for n in count(2) for one in firsts)
    seen = {normal(idea["title"]) for idea in payload["known"]}
    found: list[Proposal] = []
    for one in chain(firsts, variants):
        if len(found) == payload["count"]:
            break
        if normal(one.title) not in seen:
            seen.add(normal(one.title))
            found.append(one)
    return found


def plain_proposals(payload: Payload) -> Proposals:
    """Each technique by itself, then in pairs; or the background's sentences. As many as are asked for."""
    about = dict(payload["task"]["techniques"])
    sets = [*combinations(about, 1), *combinations(about, 2)]
    sketches = [sketch_of(names, about) for names in sets] or map(sketch_from, sentences(payload["task"]))
    return Proposals(ideas=tuple(fresh(sketches, payload)))


def keep_all(payload: Payload) -> Verdicts:
    """Every proposal: what cannot be built costs a branch, what is never tried may cost the search."""
    numbers = (one["number"] for one in payload["proposals"])
    return Verdicts(verdicts=tuple(Verdict(number=number, reason="", feasible=True) for number in numbers))


IDEATE = Operator("ideate", Proposals, too_few, plain_proposals)
CRITIC = Operator("critic", Verdicts, unjudged, keep_all)


async def ideate(consult: Consult, state: State, count: int, part: str) -> list[Idea]:
    """New ideas for the pool, one at least and ``count`` at most, which the caller welcomes. None if none is asked for.

    The critic is asked as ``part``.critic.
    """
    if count < 1:
        return []
    best, worst = standing(state)
    task = task_view(state)
    known = [idea.model_dump(mode="json", include={"id", "title", "techniques"}) for idea in state.ideas.values()]
    payload = {"task": task, "count": count, "known": known, "best": best, "worst": worst}
    proposed = usable((await consult(IDEATE, payload, part)).reply, payload)
    numbered = [{"number": number, **one.model_dump(mode="json")} for number, one in enumerate(proposed, 1)]
    judged = await consult(CRITIC, {"task": task, "known": known, "proposals": numbered}, f"{part}.critic")
    feasible = {one.number for one in judged.reply.verdicts if one.feasible}
    chosen = [one for number, one in enumerate(proposed, 1) if number in feasible][:count]
    first = len(state.ideas) + 1
    return [
        Idea(id=f"i{at:03d}", source=Source.IDEATOR, kind=Kind.SEED, iteration=state.iteration, **one.model_dump())
        for at, one in enumerate(chosen, first)
    ]
