"""Plain classes put on Ray, or left in this process: the one place that knows which.

A class is written without a thought of Ray; its methods are coroutines. `Pool.call` names the method itself, so mypy
checks arguments and result.
"""

import logging
import os
import zlib
from collections.abc import Callable, Coroutine
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar, cast

from actors.errors import Fault

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
P = ParamSpec("P")
R = TypeVar("R")


class Pool(Protocol[T_co]):
    """Some instances of one class."""

    async def call(
        self,
        method: Callable[Concatenate[T_co, P], Coroutine[Any, Any, R]],
        route: str | None,
        *args: P.args,
        **kw: P.kwargs,
    ) -> R:
        """Run a method on one instance: the one that ``route`` always leads to, or the least busy one."""


class Cluster(Protocol):
    """Where pools stand."""

    def pool(
        self, build: Callable[..., T], *args: Any, size: int = 1, cpus: float = 0.0, beside_driver: bool = False
    ) -> Pool[T]:
        """``size`` instances of ``build(*args)``, each with ``cpus`` reserved."""

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
        route: str | None,
        *args: P.args,
        **kw: P.kwargs,
    ) -> R:
        """Run the method here; ``route`` does not matter with one instance."""
        return await method(self._instance, *args, **kw)


class LocalCluster:
    """The twin without Ray: everything in this process, on one event loop."""

    delay = 0.0

    def pool(
        self, build: Callable[..., T], *args: Any, size: int = 1, cpus: float = 0.0, beside_driver: bool = False
    ) -> Pool[T]:
        """One instance, whatever ``size``: one event loop would share its time among more."""
        return LocalPool(build(*args))

    def share(self, value: T) -> T:
        """The value itself."""
        return value

    def close(self) -> None:
        """Nothing to end."""


class Unbuilt(Fault):
    """The actor is new, or was started again, and has no instance yet."""


class Host:
    """The Ray actor: an instance of any plain class.

    It is built by a call, not by its constructor: Ray resolves shared values in both, but warns of those in the latter.
    """

    def __init__(self) -> None:
        self._instance: Any = None

    async def build(self, build: Callable[..., Any], *args: Any) -> None:
        """Make the instance, unless another caller just has."""
        if self._instance is None:
            self._instance = build(*args)

    async def run(self, method: str, *args: Any, **kw: Any) -> Any:
        """Run one method of the instance; Unbuilt if there is none."""
        if self._instance is None:
            raise Unbuilt
        return await getattr(self._instance, method)(*args, **kw)


class Lost(Fault):
    """An actor, or the node under it, died with the call: nothing is wrong with the call itself."""


def gone() -> tuple[type[Exception], ...]:
    """What Ray raises for infrastructure; everything else is ours."""
    from ray import exceptions as ray

    return (ray.RayActorError, ray.WorkerCrashedError, ray.NodeDiedError, ray.ObjectLostError, ray.TaskCancelledError)


def failed() -> type[Any]:
    """What Ray wraps an actor's own exceptions in."""
    from ray.exceptions import RayTaskError

    return RayTaskError


class RayPool(Generic[T]):
    """Instances in Ray actors. A dead actor is started again by Ray; the call that it took with it raises."""

    def __init__(self, actors: list[Any], build: Callable[..., T], args: tuple[Any, ...]) -> None:
        self._actors = actors
        self._build = build
        self._args = args
        self._busy = [0] * len(actors)

    async def call(
        self,
        method: Callable[Concatenate[T, P], Coroutine[Any, Any, R]],
        route: str | None,
        *args: P.args,
        **kw: P.kwargs,
    ) -> R:
        """Run the method on the instance that ``route`` hashes to, or on the least busy one."""
        at = zlib.crc32(route.encode()) % len(self._actors) if route else self._busy.index(min(self._busy))
        self._busy[at] += 1
        try:
            return cast(R, await self._run(self._actors[at], method.__name__, *args, **kw))
        finally:
            self._busy[at] -= 1

    async def _run(self, actor: Any, method: str, *args: Any, **kw: Any) -> Any:
        try:
            return await as_raised(actor.run.remote(method, *args, **kw))
        except Unbuilt:
            await as_raised(actor.build.remote(self._build, *self._args))
        return await self._run(actor, method, *args, **kw)


async def as_raised(reference: Any) -> Any:
    """An actor's result, or its exception as it was raised there, not as Ray wraps it; Lost if the actor died."""
    try:
        return await reference
    except gone() as error:
        raise Lost(str(error).strip().split("\n")[0]) from error
    except failed() as error:
        if isinstance(error.cause, Fault | OSError):
            raise error.cause from None
        raise


class RayCluster:
    """Pools on a Ray cluster: a new one on this machine, or the one at ``address``."""

    delay = 0.02

    def __init__(self, address: str | None = None, in_flight: int = 1000) -> None:
        import ray

        self._ray = ray
        self._in_flight = in_flight
        self._actors: list[Any] = []
        self._shared: list[Any] = []  # an actor that is started again needs them again
        # Ray would give its workers the lowest priority, and an embedded model started by one inherits it.
        os.environ.setdefault("RAY_worker_niceness", "0")
        if not ray.is_initialized():
            ray.init(address=address, log_to_driver=True, include_dashboard=False, logging_level=logging.ERROR)

    def pool(
        self, build: Callable[..., T], *args: Any, size: int = 1, cpus: float = 0.0, beside_driver: bool = False
    ) -> Pool[T]:
        """``size`` actors; beside the driver where they must share its disk."""
        options: dict[str, Any] = {"num_cpus": cpus, "max_restarts": -1, "max_concurrency": self._in_flight}
        if beside_driver:
            from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

            here = self._ray.get_runtime_context().get_node_id()
            options["scheduling_strategy"] = NodeAffinitySchedulingStrategy(here, soft=False)
        remote = self._ray.remote(Host).options(**options)
        actors = [remote.remote() for _ in range(size)]
        self._actors += actors
        return RayPool(actors, build, args)

    def share(self, value: T) -> T:
        """A reference that Ray resolves when it builds an instance."""
        self._shared.append(self._ray.put(value))
        return cast(T, self._shared[-1])

    def close(self) -> None:
        """End the actors of this run; a cluster that was here before stays."""
        for actor in self._actors:
            self._ray.kill(actor)
        self._ray.shutdown()
