"""Pools of plain classes, and their local twin; actors/ray_pool.py puts them on Ray.

A class is written without a thought of Ray; its methods are coroutines. `Pool.call` names the method itself, so mypy
checks arguments and result.
"""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar

from actors.errors import BadInput, Fault

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
P = ParamSpec("P")
R = TypeVar("R")
Resources = Mapping[str, float]  # what an actor reserves: CPU, GPU, or a name that a node was started with
NOTHING: Resources = {}


class Pool(Protocol[T_co]):
    """Some instances of one class."""

    async def call(
        self,
        method: Callable[Concatenate[T_co, P], Coroutine[Any, Any, R]],
        route: int | None,
        *args: P.args,
        **kw: P.kwargs,
    ) -> R:
        """Run a method on one instance: where ``route`` leads while the same ones are up, or on the least busy."""


class Cluster(Protocol):
    """Where pools stand."""

    def pool(
        self,
        build: Callable[..., T],
        *args: Any,
        size: int = 1,
        needs: Resources = NOTHING,
        beside_driver: bool = False,
    ) -> Pool[T]:
        """``size`` instances of ``build(*args)``, each with what it ``needs`` reserved."""

    def fits(self, needs: Resources, most: int) -> int:
        """How many instances that need so much may stand at once, ``most`` at most and one at least."""

    def share(self, value: T) -> T:
        """A value that many pools are built with, sent once."""

    @property
    def delay(self) -> float:
        """Seconds for which events are worth collecting before they are sent."""

    def close(self) -> None:
        """End every instance."""


class LocalPool(Generic[T]):
    """One instance in this process."""

    def __init__(self, instance: T) -> None:
        self._instance = instance

    async def call(
        self,
        method: Callable[Concatenate[T, P], Coroutine[Any, Any, R]],
        route: int | None,
        *args: P.args,
        **kw: P.kwargs,
    ) -> R:
        """Run the method here; ``route`` does not matter with one instance."""
        return await method(self._instance, *args, **kw)


class LocalCluster:
    """The twin without Ray: everything in this process, on one event loop."""

    delay = 0.0

    def pool(
        self,
        build: Callable[..., T],
        *args: Any,
        size: int = 1,
        needs: Resources = NOTHING,
        beside_driver: bool = False,
    ) -> Pool[T]:
        """One instance, whatever ``size``: one event loop would share its time among more."""
        return LocalPool(build(*args))

    def fits(self, needs: Resources, most: int) -> int:
        """One instance is all instances here."""
        return 1

    def share(self, value: T) -> T:
        """The value itself."""
        return value

    def close(self) -> None:
        """Nothing to end."""


class Lost(Fault):
    """An actor, or the node under it, died with the call: nothing is wrong with the call itself."""


class Unfit(BadInput):
    """Where this instance stands its work cannot be done, say what is lacking there: a pool leaves it out."""


def watched(work: Coroutine[Any, Any, R]) -> asyncio.Task[R]:
    """A task whose error reaches whom it concerns on another way: asyncio need not say that nobody looked."""
    task = asyncio.create_task(work)
    task.add_done_callback(lambda done: done.cancelled() or done.exception())
    return task
