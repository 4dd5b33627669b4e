"""Pools on Ray: the one place that knows it.

Guarded: an actor or a node that dies takes only the calls with it that it had; Ray starts it again, elsewhere if need
be. Not guarded: the node that the driver stands on; its death is the driver's.
"""

import asyncio
import logging
import os
import socket
from collections.abc import Callable, Coroutine, Mapping
from functools import cache
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, cast

from actors.errors import BadInput, Fault
from actors.host import Host, Unbuilt, code
from actors.pool import NOTHING, Lost, Pool, Resources, Unfit
from actors.ray_line import Line, anything, as_raised, first_line, gone, last_line
from actors.room import Room

T = TypeVar("T")
P = ParamSpec("P")
R = TypeVar("R")
TOLD = ("A worker died or was killed", "Raylet is terminated")  # how Ray's words of a loss begin that we tell ourselves
CALLERS = 10_000  # messages that an actor may have open: each caller leaves one there, to be told of results
AGAIN = 0.5  # seconds between two looks at an actor that is being started again


class RayPool(Generic[T]):
    """Instances in Ray actors. A dead actor is started again by Ray; the calls that it took with it raise Lost.

    Until it is back, calls go to the others, and wait if there is none: ``patience`` seconds, then BadInput. So does a
    new pool wait until all its actors are there. A copy, in another actor, has a view of its own.
    An actor that says Unfit is left out; where all do, BadInput says why.
    """

    def __init__(
        self, actors: Callable[[], list[Any]], build: Callable[..., T], args: tuple[Any, ...], patience: float
    ) -> None:
        self._actors = cache(actors)  # raised when the first call comes
        self._build = build
        self._args = args
        self._patience = patience
        self._lines: list[Line] = []
        self._busy: list[int] = []
        self._down: dict[int, asyncio.Task[None]] = {}
        self._unfit: dict[int, Unfit] = {}
        self._first: list[asyncio.Task[None]] | None = None  # those who have not all been seen yet
        self._why = "the cluster has no room for it"
        self._broken = ""

    def __reduce__(self) -> tuple[Any, ...]:
        return copied, (self._actors(), self._build, self._args, self._patience)

    async def call(
        self,
        method: Callable[Concatenate[T, P], Coroutine[Any, Any, R]],
        route: int | None,
        *args: P.args,
        **kw: P.kwargs,
    ) -> R:
        """Run the method on the instance that ``route`` leads to, or on the least busy one."""
        at = await self._find(route)
        self._busy[at] += 1
        try:
            return cast(R, await self._run(at, method.__name__, args, kw))
        except gone() as error:
            if at not in self._down:
                self._why = f"the last one was lost: {first_line(error)}"
                logging.getLogger(__name__).warning("lost an actor of %s; it is started again", self._build.__name__)
            self._lose(at)
            raise Lost(first_line(error)) from error
        except Unfit as error:
            if str(error) not in map(str, self._unfit.values()):
                logging.getLogger(__name__).warning("a node is left out: %s", error)
            self._unfit[at] = error
        finally:
            self._busy[at] -= 1
        return await self.call(method, route, *args, **kw)

    async def _find(self, route: int | None) -> int:
        """An actor that is up."""
        try:
            async with asyncio.timeout(self._patience):
                await self._start()
                while not (up := [at for at in range(len(self._lines)) if at not in {*self._down, *self._unfit}]):
                    if not self._down:
                        raise BadInput(str(next(iter(self._unfit.values()))))
                    await asyncio.wait(self._down.values(), return_when=asyncio.FIRST_COMPLETED)
        except TimeoutError:
            missing = f"{len(self._down)} of {len(self._lines)} actors for {self._build.__name__}"
            raise BadInput(
                f"{missing} were not there within cluster.patience={self._patience:g} seconds ({self._why}); "
                "lower cluster.actors or cluster.needs, give the cluster more nodes, or raise cluster.patience"
            ) from None
        if self._broken:
            raise BadInput(
                f"an actor for {self._build.__name__} cannot start on a node of the cluster: {self._broken}; every "
                "node needs the same environment (docs/cluster.md)"
            )
        return min(up, key=lambda at: self._busy[at]) if route is None else up[route % len(up)]

    async def _start(self) -> None:
        """See all actors once."""
        if self._first is None:
            self._lines = [Line(actor) for actor in self._actors()]
            self._busy = [0] * len(self._lines)
            for at in range(len(self._lines)):
                self._lose(at)
            self._first = list(self._down.values())
        if self._first:
            await asyncio.wait(self._first)
            self._first = []

    async def _run(self, at: int, method: str, args: tuple[Any, ...], kw: Mapping[str, Any]) -> Any:
        while True:
            try:
                return await self._lines[at].call(method, args, kw)
            except Unbuilt:
                await self._raise(at)

    async def _raise(self, at: int) -> None:
        await as_raised(self._actors()[at].build.remote(code(), self._build, *self._args))

    def _lose(self, at: int) -> None:
        if at not in self._down:
            self._down[at] = asyncio.create_task(self._revive(at))

    async def _revive(self, at: int) -> None:
        """Wait until the actor is there, however long: a cluster may get a new node."""
        while True:
            try:
                await self._raise(at)
                break
            except gone() as error:
                if "creation task" in str(error):  # it will never be there: the class cannot even be loaded
                    self._broken = last_line(error)
                    break
                self._why = f"the last one was lost: {first_line(error)}"
                await asyncio.sleep(AGAIN)
            except (Fault, OSError, anything()):  # it is there, and cannot build: the next call says so
                break
        del self._down[at]


def copied(actors: list[Any], *rest: Any) -> "RayPool[Any]":
    """A pool of actors that are there, as another process sees it."""
    return RayPool(lambda: actors, *rest)


def connect(address: str | None) -> None:
    """Start Ray here, or join the cluster at ``address``; BadInput if none answers there."""
    import ray

    # Ray would give its workers the lowest priority, and an embedded model started by one inherits it.
    os.environ.setdefault("RAY_worker_niceness", "0")
    say_aside()
    try:
        host, _, port = (address or "").rpartition(":")
        if host and port.isdecimal():  # where nobody listens Ray would try for a quarter of an hour
            socket.create_connection((host, int(port)), timeout=10).close()
            os.environ.setdefault("RAY_gcs_server_port_wait_time_s", "1")  # tries, of 40 s each
        ray.init(address=address or "local", log_to_driver=True, include_dashboard=False, logging_level=logging.ERROR)
    except SystemExit:  # what Ray, as it starts, makes of a SIGTERM
        raise KeyboardInterrupt from None
    except (OSError, RuntimeError, ValueError) as error:  # ConnectionError among them
        if address is None:
            raise
        raise BadInput(
            f"cluster.address={address}: cannot be joined ({' '.join(str(error).split())[:300]}); start Ray on this "
            "machine first, of the same version, with RAY_AUTH_MODE=token if that cluster has one (docs/cluster.md)"
        ) from None


def say_aside() -> None:
    """What Ray has to say goes to stderr, since stdout is for results, and in a line each, without its own logs.

    Of dead workers we tell ourselves, by name.
    """
    from ray._private import worker

    def say(data: dict[str, Any], ignore_prefix: bool) -> None:
        lines = [str(line) for line in data["lines"]]
        if data.get("pid") == "raylet":
            lines = [line.split("\n")[0] for line in lines if not line.startswith(TOLD)]
        if lines:
            said({**data, "lines": lines, "is_err": True}, ignore_prefix)

    if worker.print_to_stdstream.__module__ != __name__:
        said, worker.print_to_stdstream = worker.print_to_stdstream, say


class RayCluster:
    """Pools on a Ray cluster: a new one on this machine, or the one at ``address``."""

    delay = 0.02

    def __init__(self, address: str | None = None, patience: float = 300.0) -> None:
        import ray

        self._ray = ray
        self._patience = patience
        self._actors: list[Any] = []
        self._room = Room()
        self._shared: list[Any] = []  # an actor that is started again needs them again
        if not ray.is_initialized():
            connect(address)

    def pool(
        self,
        build: Callable[..., T],
        *args: Any,
        size: int = 1,
        needs: Resources = NOTHING,
        beside_driver: bool = False,
    ) -> Pool[T]:
        """``size`` actors; beside the driver where they must share its disk. BadInput where no node is large enough."""
        self._room.take(build.__name__, size, needs, self._nodes())

        def actors() -> list[Any]:
            made = [remote.remote() for _ in range(size)]
            self._actors += made
            return made

        options: dict[str, Any] = {
            "scheduling_strategy": "SPREAD",
            "num_cpus": needs.get("CPU", 0),
            "num_gpus": needs.get("GPU", 0),
            "memory": needs.get("memory", 0),
            "resources": {name: amount for name, amount in needs.items() if name not in ("CPU", "GPU", "memory")},
            "max_restarts": -1,
            "max_concurrency": CALLERS,
        }
        if beside_driver:
            from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

            here = self._ray.get_runtime_context().get_node_id()
            options["scheduling_strategy"] = NodeAffinitySchedulingStrategy(here, soft=False)
        # By its name people know a process in ps, and an actor on Ray's pages.
        remote: Any = self._ray.remote(type(build.__name__, (Host,), {})).options(**options)
        return RayPool(actors, build, args, self._patience)

    def _nodes(self) -> list[dict[str, float]]:
        """What each node has."""
        return [node["Resources"] for node in self._ray.nodes() if node["Alive"]]  # type: ignore[no-untyped-call]

    def fits(self, needs: Resources, most: int) -> int:
        """As many as there is room for beside what this run has asked for before, ``most`` at most, one at least."""
        return self._room.left(needs, most, self._nodes())

    def share(self, value: T) -> T:
        """A reference that Ray resolves when it builds an instance."""
        self._shared.append(self._ray.put(value))
        return cast(T, self._shared[-1])

    def close(self) -> None:
        """End the actors of this run; a cluster that was here before stays."""
        for actor in self._actors:
            self._ray.kill(actor)
        self._ray.shutdown()
