"""Organize: the pool as two to five clusters, each a direction that branches can be sent in (AIM, idea organization).

Every idea of the pool is in exactly one cluster, tried or not. Without a usable reply the clusters stay as they were
and children join their parents; what is left goes where it shares most techniques and words.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import isqrt
from typing import Annotated

from pydantic import AfterValidator, StringConstraints

from solvers.idea import Cluster, Line
from solvers.operators.operator import Consult, Operator, Payload
from solvers.operators.said import Said
from solvers.operators.views import WORD, Shown, pool_view, task_view
from solvers.state import State

FEWEST, MOST = 2, 5  # clusters
LABEL_WORDS = 6
WORD_LETTERS = 60  # of a word in a label
SHORT = 3  # letters: words up to here say little about an idea

Groups = list[list[str]]
Name = Annotated[str, StringConstraints(strip_whitespace=True)]


def short(label: str) -> str:
    """The first six words: the limit of a label, kept by code whatever a model says."""
    return " ".join(label.split()[:LABEL_WORDS])


class Grouping(Said):
    """One cluster of a reply."""

    label: Annotated[Line, AfterValidator(short)]
    theme: str
    idea_ids: tuple[Name, ...]
    rationale: str


class Organization(Said):
    """The reply."""

    clusters: tuple[Grouping, ...]


def misplaced(reply: Organization, payload: Payload) -> str:
    """Why clusters cannot stand; of the first thing that is wrong."""
    pool = [idea["id"] for idea in payload["pool"]]
    most = min(MOST, len(pool))
    if not FEWEST <= len(reply.clusters) <= most:
        return f"there were {len(reply.clusters)} clusters and not {FEWEST} to {most}"
    if empty := [one.label for one in reply.clusters if not one.idea_ids]:
        return f"the cluster '{empty[0]}' is empty"
    placed = Counter(name for one in reply.clusters for name in one.idea_ids)
    faults = {
        "not in the pool": placed.keys() - pool,
        "in no cluster": set(pool) - placed.keys(),
        "placed more than once": {name for name, times in placed.items() if times > 1},
    }
    said = [f"{', '.join(sorted(names)[:10])}: {what}" for what, names in faults.items() if names]
    return "every idea belongs in exactly one cluster; " + "; ".join(said) if said else ""


def features(idea: Shown) -> set[str]:
    """What an idea can share with another: techniques, and words of its title and abstract."""
    words = WORD.findall(f"{idea['title']} {idea['abstract']}".casefold())
    return {f"#{name}" for name in idea["techniques"]} | {word for word in words if len(word) > SHORT}


def nearness(one: set[str], other: set[str]) -> float:
    """The share that two ideas have in common, of their techniques plus of their words: 0 to 2."""

    def share(mine: set[str], theirs: set[str]) -> float:
        return len(mine & theirs) / max(1, len(mine | theirs))

    first, second = ({name for name in names if name.startswith("#")} for names in (one, other))
    return share(first, second) + share(one - first, other - second)


def spread(names: Sequence[str], of: Mapping[str, set[str]], count: int) -> Groups:
    """Names in ``count`` groups around those that are least alike, the first name one of them; none is empty."""
    centres = [names[0]]
    while len(centres) < count:
        rest = [name for name in names if name not in centres]
        centres.append(min(rest, key=lambda name: max(nearness(of[name], of[centre]) for centre in centres)))
    groups = {centre: [centre] for centre in centres}
    for name in names:
        if name not in groups:
            groups[max(centres, key=lambda centre: nearness(of[name], of[centre]))].append(name)
    return list(groups.values())


def joined(groups: Groups, pool: Sequence[Shown], of: Mapping[str, set[str]]) -> None:
    """Put each idea that has no group with its parent, else where its nearest idea is, a small group before a large."""
    home = {name: group for group in groups for name in group}
    for idea in pool:
        name, parent = idea["id"], idea["parent_id"]
        if name not in home:
            near = {id(group): max(nearness(of[name], of[one]) for one in group) for group in groups}
            nearest = max(groups, key=lambda group: (near[id(group)], -len(group)))
            home[name] = home.get(parent, nearest)
            home[name].append(name)


def stay(payload: Payload) -> Organization:
    """The clusters as they were, with what is new put to them; the first time, by what ideas share."""
    pool = payload["pool"]
    of = {idea["id"]: features(idea) for idea in pool}
    before = [(one, [name for name in one["idea_ids"] if name in of]) for one in payload["previous"]]
    kept = [(one, names) for one, names in before if names][:MOST]
    groups = [names for _, names in kept]
    if groups:
        joined(groups, pool, of)
    else:
        groups = spread(list(of), of, min(MOST, max(FEWEST, isqrt(len(of)))))
    if len(groups) < FEWEST:
        groups = spread(groups[0], of, FEWEST)
        kept = []
    told = [(one["label"], one["theme"]) for one, _ in kept] or [named(names, of) for names in groups]
    made = zip(told, groups, strict=True)
    return Organization(
        clusters=tuple(
            Grouping(label=label, theme=theme, idea_ids=tuple(names), rationale="by what the ideas share")
            for (label, theme), names in made
        )
    )


def named(names: Iterable[str], of: Mapping[str, set[str]]) -> tuple[str, str]:
    """A label and a theme for a group: what is commoner in it than elsewhere, techniques before words."""
    inside = Counter(feature for name in names for feature in of[name])
    anywhere = Counter(feature for own in of.values() for feature in own)
    telling = sorted(inside, key=lambda one: (not one.startswith("#"), anywhere[one] - 2 * inside[one], one))
    words = [one.removeprefix("#").replace("_", " ")[:WORD_LETTERS] for one in telling[:4]]
    return " and ".join(words[:2]) or "other ideas", f"Ideas about {', '.join(words) or 'other things'}."


ORGANIZE = Operator("organize", Organization, misplaced, stay)


async def organize(consult: Consult, state: State, previous: Sequence[Cluster]) -> list[Cluster]:
    """The clusters of this iteration, kept in the table; fewer than two ideas are one cluster, no ideas none."""
    if len(state.ideas) < FEWEST:
        return one_cluster(state)
    payload = {
        "task": task_view(state),
        "iteration": state.iteration,
        "branches_left": state.branches_left,
        "previous": [one.model_dump(mode="json", include={"label", "theme", "idea_ids"}) for one in previous],
        "pool": pool_view(state),
    }
    said = await consult(ORGANIZE, payload, f"{state.iteration:02d}.organize")
    return listed(state, said.reply.clusters, said.fallback)


def one_cluster(state: State) -> list[Cluster]:
    """The pool as one cluster, kept in the table: what the search does without Organize."""
    whole = Grouping(label="all ideas", theme="The whole pool.", idea_ids=tuple(state.ideas), rationale="")
    return listed(state, [whole] if state.ideas else [], fallback=False)


def listed(state: State, groupings: Iterable[Grouping], fallback: bool) -> list[Cluster]:
    """The rows, in the reply's order."""
    clusters = [
        Cluster(iteration=state.iteration, index=index, fallback=fallback, **one.model_dump())
        for index, one in enumerate(groupings, 1)
    ]
    for cluster in clusters:
        state.add("clusters", cluster)
    return clusters
