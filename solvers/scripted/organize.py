"""The scripted map of the pool: ideas by the technique that leads them, or by what they share in words."""

from collections import Counter
from collections.abc import Callable

from actors.row import Row
from solvers.operators.operator import Payload
from solvers.operators.organize import FEWEST, MOST, Grouping, Organization, named, stay
from solvers.operators.organize import features as features_of


def organize(payload: Payload, seed: int) -> Row:
    """A cluster for each of the four techniques that lead most ideas, and one for the rest; else as without a model.

    An idea is led by the first of its techniques. The commonest leaders stay so as the pool grows, and children keep
    their parents' techniques: so clusters last from iteration to iteration. Nothing is drawn.
    """
    del seed
    led = {idea["id"]: idea["techniques"][0] if idea["techniques"] else "" for idea in payload["pool"]}
    leaders = [name for name, _ in Counter(name for name in led.values() if name).most_common(MOST - 1)]
    groups = {leader: [name for name, by in led.items() if by == leader] for leader in leaders}
    if rest := [name for name, by in led.items() if by not in groups]:
        groups[""] = rest
    if len(groups) < FEWEST:
        return stay(payload)
    of = {idea["id"]: features_of(idea) for idea in payload["pool"]}
    return Organization(clusters=tuple(cluster(leader, names, of) for leader, names in groups.items()))


def cluster(leader: str, names: list[str], of: dict[str, set[str]]) -> Grouping:
    """The cluster of one leading technique, or of the rest."""
    label = leader.replace("_", " ") or "the rest"
    return Grouping(
        label=label, theme=named(names, of)[1], idea_ids=tuple(names), rationale=f"{len(names)} ideas led by {label}."
    )


RULES: dict[str, Callable[[Payload, int], Row]] = {"organize": organize}
