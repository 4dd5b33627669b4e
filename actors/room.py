"""Whether a cluster has room for what a run's actors reserve, found out before any of them waits for it.

Not guarded: what other runs on the cluster have taken, and needs that fit together only on paper, such as two actors
that each want most of a node. For those a pool waits, as long as ``cluster.patience`` says.
"""

from collections.abc import Sequence

from actors.errors import BadInput
from actors.pool import Resources


class Room:
    """What the actors of a run reserve, pool by pool."""

    def __init__(self) -> None:
        self._asked: dict[str, float] = {}

    def left(self, needs: Resources, most: int, nodes: Sequence[Resources]) -> int:
        """How many actors with such ``needs`` the nodes have room for by their sums, beside those asked for before.

        At least one: whether that fits is for `take` to say.
        """
        asked = {what: amount for what, amount in needs.items() if amount}
        if not asked:
            return most
        nodewise = sum(min(int(node.get(what, 0) / amount) for what, amount in asked.items()) for node in nodes)
        free = [
            int((sum(node.get(what, 0) for node in nodes) - self._asked.get(what, 0)) / amount)
            for what, amount in asked.items()
        ]
        return max(1, min(most, nodewise, *free))

    def take(self, name: str, size: int, needs: Resources, nodes: Sequence[Resources]) -> None:
        """Count ``size`` actors for ``name`` in; BadInput where the nodes' resources cannot be enough."""
        if not any(all(node.get(what, 0) >= amount for what, amount in needs.items()) for node in nodes):
            has = "; ".join(sorted({listed(node) for node in nodes}))
            raise BadInput(f"cluster.needs: no node has {listed(needs)}, as {name} asks; the nodes have: {has}")
        for what, amount in needs.items():
            self._asked[what] = self._asked.get(what, 0) + amount * size
            there = sum(node.get(what, 0) for node in nodes)
            if self._asked[what] > there:
                raise BadInput(
                    f"cluster.actors: with {size} for {name} the run's actors need {what} {self._asked[what]:g}, "
                    f"the cluster has {there:g}; lower cluster.actors or cluster.needs"
                )


def listed(resources: Resources) -> str:
    """What a node has, without what Ray adds of its own."""
    own = {name: amount for name, amount in resources.items() if ":" not in name and "memory" not in name}
    return ", ".join(f"{name} {amount:g}" for name, amount in sorted(own.items()))
